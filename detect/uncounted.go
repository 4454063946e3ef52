package detect

// Uncounted gives what a key has in each pane beside the seconds that were counted: all of it may be of one second.
// Panes are so many seconds wide. An entry is named for the pane's first second.
func (k *ExactKey) Uncounted(width uint32) []ExactSecond {
	out, seconds := []ExactSecond{}, k.Seconds
	for i := range k.Panes {
		p := &k.Panes[i]
		rest := ExactSecond{p.Start, p.Requests, p.Reads, p.ReadMilli, p.WriteMilli}
		for ; len(seconds) > 0 && seconds[0].Second-p.Start < width; seconds = seconds[1:] {
			s := &seconds[0]
			rest.Requests -= min(rest.Requests, s.Requests)
			rest.Reads -= min(rest.Reads, s.Reads)
			rest.ReadMilli -= min(rest.ReadMilli, s.ReadMilli)
			rest.WriteMilli -= min(rest.WriteMilli, s.WriteMilli)
		}
		if rest.Requests > 0 {
			out = append(out, rest)
		}
	}
	return out
}
