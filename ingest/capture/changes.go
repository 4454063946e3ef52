package capture

import (
	"encoding/binary"
	"errors"

	"github.com/keyheat/keyheat/ingest"
)

// The cell of an event's changes holds each of them as the length of the attribute's name, the name, the hash of the
// value in eight bytes, highest first, and the length of the value; lengths are unsigned varints (Protocol Buffers).

// errChanges is a cell that holds no changes.
var errChanges = errors.New("changes that are cut")

func appendChanges(dst []byte, changes []ingest.Change) []byte {
	for _, c := range changes {
		dst = append(binary.AppendUvarint(dst, uint64(len(c.Name))), c.Name...)
		dst = binary.AppendUvarint(binary.BigEndian.AppendUint64(dst, c.Value), c.Bytes)
	}
	return dst
}

// readChanges appends what a cell holds to dst. Names are parts of the cell.
func readChanges(dst []ingest.Change, cell []byte) ([]ingest.Change, error) {
	for len(cell) > 0 {
		n, size := binary.Uvarint(cell)
		if size <= 0 || n > uint64(len(cell)-size) || len(cell)-size-int(n) < 8 {
			return nil, errChanges
		}
		c := ingest.Change{Name: cell[size : size+int(n)]}
		cell = cell[size+int(n):]
		c.Value, cell = binary.BigEndian.Uint64(cell), cell[8:]
		if c.Bytes, size = binary.Uvarint(cell); size <= 0 {
			return nil, errChanges
		}
		dst, cell = append(dst, c), cell[size:]
	}
	return dst, nil
}
