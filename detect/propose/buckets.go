package propose

// buckets are the units of time that a key can hold, the longest first.
var buckets = []struct {
	name    string
	seconds uint64
}{{"month", 28 * 86400}, {"week", 7 * 86400}, {"day", 86400}, {"hour", 3600}, {"minute", 0}}

// bucketOf gives the longest unit of time that fits.
func bucketOf(seconds uint64) string {
	for _, b := range buckets {
		if seconds >= b.seconds {
			return b.name
		}
	}
	return ""
}

// bucketSeconds gives the length of a unit; of a minute 0.
func bucketSeconds(name string) uint64 {
	for _, b := range buckets {
		if b.name == name {
			return b.seconds
		}
	}
	return 0
}
