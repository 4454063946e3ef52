package report

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/keyheat/keyheat/detect"
)

// FindingID gives the identity of a finding: the first 8 bytes, in hex, of SHA-256 over the rule and
// the subject, each field with its length. Time, severity and numbers do not enter, so the same trouble
// has the same identity every night.
func FindingID(rule string, s detect.Subject) string {
	fields := []string{rule, s.Target.Store.String(), s.Target.Table, s.Target.Index, "", s.Shape, s.Node}
	if s.HasKey {
		fields[4] = "k" + string(s.Key)
	}
	var form []byte
	for _, f := range fields {
		form = binary.AppendUvarint(form, uint64(len(f)))
		form = append(form, f...)
	}
	sum := sha256.Sum256(form)
	return hex.EncodeToString(sum[:8])
}
