package ingest

import (
	"bytes"
	"slices"
)

// recognise finds the format of an input from its beginning; whole says that the input ends there.
// in.head is set to what formats are shown: a part of raw, or a copy without the envelope.
func (o *Options) recognise(in *Input, raw []byte, whole bool) error {
	raw = bytes.TrimPrefix(raw, bom)
	if !whole {
		if i := bytes.LastIndexByte(raw, '\n'); i >= 0 {
			raw = raw[:i+1]
		}
	}
	in.head = raw
	first := o.before(in)
	if first != nil {
		in.envelope = first.envelope
	} else {
		in.envelope = DetectEnvelopes(raw)
	}
	if in.envelope != nil {
		in.Envelopes = in.envelope.Names()
		in.head = unwrapHead(in.envelope, raw)
	}
	best, verdicts := (*Format)(nil), []FormatVerdict(nil)
	if first != nil {
		best = first.Format
	} else if best, verdicts = o.judge(in.head); best == nil {
		return &UnrecognisedError{Name: in.Name, Verdicts: verdicts}
	}
	in.Format = best
	in.quoted = best.Quoted && bytes.IndexByte(in.head, '"') >= 0
	return nil
}

// before gives an input as the first pass found it, nil in the first pass.
func (o *Options) before(in *Input) *Input {
	if o.Again == nil {
		return nil
	}
	inputs := o.Again.Sources[in.ID.File].Inputs
	if in.ID.Member >= len(inputs) || inputs[in.ID.Member].Input.Name != in.Name {
		return nil
	}
	return inputs[in.ID.Member].Input
}

// judge asks each format, and gives the one that fits best, the first of equals; without one, all
// verdicts, the best first.
func (o *Options) judge(head []byte) (*Format, []FormatVerdict) {
	verdicts := make([]FormatVerdict, 0, len(o.Formats))
	for _, f := range o.Formats {
		v := f.Sniff(head, o.Decode)
		if v.Fit == Certain {
			return f, nil
		}
		verdicts = append(verdicts, FormatVerdict{Format: f, Verdict: v})
	}
	slices.SortStableFunc(verdicts, func(a, b FormatVerdict) int { return int(b.Fit) - int(a.Fit) })
	if len(verdicts) > 0 && verdicts[0].Fit >= Possible {
		return verdicts[0].Format, nil
	}
	return nil, verdicts
}

// unwrapHead gives the lines of raw without their envelope, as many as formats are shown.
func unwrapHead(e *Envelope, raw []byte) []byte {
	var head []byte
	for len(raw) > 0 {
		line, rest, _ := bytes.Cut(raw, lineEnd)
		raw = rest
		out, meta, ok := e.Unwrap(head, trimCR(line))
		if !ok || len(out) >= SniffBytes {
			continue
		}
		head = out
		if !meta.Partial && len(head) > 0 && head[len(head)-1] != '\n' {
			head = append(head, '\n')
		}
	}
	return head
}
