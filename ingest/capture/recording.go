package capture

import (
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/keyheat/keyheat/ingest"
	"github.com/keyheat/keyheat/internal/columnar"
)

// maxRecording is the longest name of a recording, in bytes: that of an object in S3 has at most 1,024 behind
// its bucket.
const maxRecording = 1200

// recordingOf gives the recording that a stream is a capture of; one that no keyheat writes is none.
func recordingOf(s *columnar.StreamReader) ingest.Recording {
	name, _ := s.Meta(metaRecording)
	text, _ := s.Meta(metaPart)
	part, err := strconv.ParseUint(text, 10, 64)
	if err != nil || part == 0 || len(name) > maxRecording {
		return ingest.Recording{}
	}
	return ingest.Recording{Name: name, Part: part}
}

// Next begins the capture of the recording called name that follows this one: it begins with the inputs of it
// that keep positions. The first of a recording follows none, the zero value.
func (b *Before) Next(to io.Writer, source, name string, failed func()) (*Writer, error) {
	w := &Writer{failed: failed, source: source, recording: ingest.Recording{Name: name, Part: b.recording.Part}}
	w.take(b)
	return w, w.next(to)
}

// Part is the number of the capture in its recording, 0 when it is none of one.
func (b *Before) Part() uint64 { return b.recording.Part }

// take makes the inputs that were recorded before known.
func (w *Writer) take(b *Before) {
	w.before = map[string]*sink{}
	for i := range b.inputs {
		in := &b.inputs[i]
		s := &sink{w: w, in: in.in, positions: in.positions}
		w.sinks = append(w.sinks, s)
		w.before[in.in.Name] = s
	}
}

// Turn ends the capture and begins the next of its recording, where next says: that is called when the one
// before is whole, with the number of the other. Nothing happens, and turned is false, while there is nothing
// worth a capture, or records are handed over that no position stands behind yet.
func (w *Writer) Turn(next func(part uint64) (io.Writer, error)) (turned bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.torn > 0 || !w.told {
		return false
	}
	err := w.end()
	if err == nil {
		var to io.Writer
		if to, err = next(w.recording.Part + 1); err == nil {
			err = w.next(to)
		}
	}
	w.fail(err)
	return true
}

// next begins a capture with how far was read until then.
func (w *Writer) next(to io.Writer) (err error) {
	w.recording.Part++
	w.out, err = columnar.NewStreamWriter(to, fields[:], map[string]string{
		metaVersion: Version, metaSource: w.source, metaRecording: w.recording.Name, metaPart: strconv.FormatUint(w.recording.Part, 10),
	}, nil)
	if err != nil {
		return err
	}
	w.begun = 0
	for _, s := range w.sinks {
		s.begun = false
	}
	for _, s := range w.sinks {
		for _, part := range slices.Sorted(maps.Keys(s.positions)) {
			s.reached(part, s.positions[part])
		}
	}
	w.told, w.noted = false, false
	return w.err
}

// Blank reports whether the capture holds nothing that the one before it does not.
func (w *Writer) Blank() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.told && !w.noted
}
