package ingest

import (
	"sync"
	"sync/atomic"
)

// progressStep is the bytes between two reports of progress.
const progressStep = 4 << 20

// A meter counts the bytes read by all workers.
type meter struct {
	report func(Progress) // nil: nobody wants to know
	total  uint64
	bytes  *atomic.Uint64
	mu     *sync.Mutex
}

func newMeter(src []Source, report func(Progress)) meter {
	m := meter{report: report, bytes: new(atomic.Uint64), mu: new(sync.Mutex)}
	for _, s := range src {
		if s.Size < 0 {
			m.total = 0
			break
		}
		m.total += uint64(s.Size)
	}
	return m
}

// add counts n bytes. A report that is under way is not waited for.
func (m *meter) add(n int) {
	if m.report == nil || n <= 0 {
		return
	}
	now := m.bytes.Add(uint64(n))
	if now/progressStep != (now-uint64(n))/progressStep && m.mu.TryLock() {
		m.tell(now)
		m.mu.Unlock()
	}
}

// end reports the last state.
func (m *meter) end() {
	if m.report != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.tell(m.bytes.Load())
	}
}

func (m *meter) tell(bytes uint64) {
	p := Progress{Bytes: bytes, Total: m.total}
	if m.total > 0 {
		p.Bytes = min(p.Bytes, m.total) // ranges overlap a little, and files grow
	}
	m.report(p)
}
