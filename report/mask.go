package report

import (
	"slices"
)

// A Masker replaces a key in the form of ingest.AppendKey by what may be shown of it, in the same form.
// Equal keys have equal masks.
type Masker func(key []byte) []byte

// maskedText stands for text of an input that may hold keys.
const maskedText = "(masked)"

// Masked gives a copy of r without keys: each is replaced by its mask, identities of findings are made
// from the masks, and the examples of problems lose their text. A nil mask gives r itself.
func (r *Report) Masked(mask Masker) *Report {
	if mask == nil {
		return r
	}
	out := *r
	out.Tables = slices.Clone(r.Tables)
	for i := range out.Tables {
		keys := slices.Clone(out.Tables[i].TopKeys)
		for j := range keys {
			keys[j].Key = mask(keys[j].Key)
		}
		out.Tables[i].TopKeys = keys
		out.Tables[i].Heat = r.Tables[i].Heat.masked(mask)
		out.Tables[i].Stored = r.Tables[i].Stored.masked(mask)
		out.Tables[i].Design = r.Tables[i].Design.masked(mask)
	}
	if n := r.typeNotes; n > 0 {
		out.Notes = append(slices.Clone(r.Notes[:len(r.Notes)-n]), "types of entity begin keys, so notes that name them are left out")
		out.typeNotes = 0
	}
	out.Patterns = maskPatterns(r.Patterns, mask)
	out.Findings = maskFindings(r.Findings, mask)
	out.Problems.Causes = slices.Clone(r.Problems.Causes)
	for i := range out.Problems.Causes {
		examples := slices.Clone(out.Problems.Causes[i].Examples)
		for j := range examples {
			examples[j].Text = maskedText
		}
		out.Problems.Causes[i].Examples = examples
	}
	return &out
}

// masked replaces types of entity, which are the beginnings of keys.
func (d *Design) masked(mask Masker) *Design {
	if d == nil {
		return nil
	}
	out := &Design{Kinds: d.Kinds, Entities: slices.Clone(d.Entities)}
	for i := range out.Entities {
		if name := &out.Entities[i].Name; *name != "" {
			*name = string(mask([]byte(*name)))
		}
	}
	return out
}

func (h *HeatMap) masked(mask Masker) *HeatMap {
	if h == nil {
		return nil
	}
	out := *h
	out.Rows = slices.Clone(h.Rows)
	for i := range out.Rows {
		out.Rows[i].Key = mask(out.Rows[i].Key)
	}
	return &out
}

// maskPatterns replaces entities, which are the beginnings of keys.
func maskPatterns(in []Pattern, mask Masker) []Pattern {
	out := slices.Clone(in)
	for i := range out {
		if e := &out[i].Entity; *e != "" {
			*e = string(mask([]byte(*e)))
		}
	}
	return out
}

// Masked gives a copy of t with masks for entities. A nil mask gives t itself.
func (t *PatternTable) Masked(mask Masker) *PatternTable {
	if mask == nil {
		return t
	}
	return &PatternTable{Span: t.Span, Patterns: maskPatterns(t.Patterns, mask)}
}

func maskFindings(in []Finding, mask Masker) []Finding {
	out := slices.Clone(in)
	for i := range out {
		if s := &out[i].Subject; s.HasKey {
			s.Key = mask(s.Key)
			out[i].ID = FindingID(out[i].Rule, *s)
		}
	}
	return out
}

// Masked gives a copy of t with masks for keys. A nil mask gives t itself.
func (t *KeyTable) Masked(mask Masker) *KeyTable {
	if mask == nil {
		return t
	}
	out := *t
	out.Rows = slices.Clone(t.Rows)
	for i := range out.Rows {
		out.Rows[i].Key = mask(out.Rows[i].Key)
	}
	return &out
}

// Masked gives a copy of r with masks for keys. A nil mask gives r itself.
func (r *KeyReport) Masked(mask Masker) *KeyReport {
	if mask == nil {
		return r
	}
	out := *r
	out.Key, out.Findings = mask(r.Key), maskFindings(r.Findings, mask)
	return &out
}
