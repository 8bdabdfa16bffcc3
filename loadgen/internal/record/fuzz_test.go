package record

import "testing"

// FuzzRecorder compares a sequence of calls with a simple model of the recorder. Each pair of bytes is an operation and
// its sample.
func FuzzRecorder(f *testing.F) {
	f.Add(uint8(0), uint8(1), []byte{0, 3, 1, 0, 2, 0, 2, 0, 2, 9})
	f.Add(uint8(2), uint8(1), []byte{0, 2, 1, 0, 2, 0, 1, 0, 2, 1})
	f.Add(uint8(1), uint8(3), []byte{0, 1, 0, 2, 2, 0, 2, 1, 2, 2, 2, 3, 2, 4})
	f.Fuzz(func(t *testing.T, kind, lanes uint8, ops []byte) {
		const n, first = 24, 100
		m := newModel(Kind(kind%3), int(lanes%4)+1, n)
		r := New(first, n, m.kind, m.lanes)
		for i := 0; i+1 < len(ops); i += 2 {
			sample := int(ops[i+1] % 32)
			switch ops[i] % 3 {
			case 0:
				m.issue(r, sample%m.lanes)
			case 1:
				if m.kind == FirstTokens {
					if got, want := r.FirstToken(uint32(first+sample), int64(i+1)), m.firstToken(sample); got != want {
						t.Fatalf("FirstToken(%d) = %v, want %v", sample, got, want)
					}
				}
			case 2:
				if got, want := m.complete(r, uint32(first+sample), int64(i+1)), m.answer(sample); got != want {
					t.Fatalf("answer of %d = %v, want %v", sample, got, want)
				}
			}
			if r.Issued() != uint64(len(m.issued)) || r.Completed() != uint64(len(m.done)) {
				t.Fatalf("%d issued, %d completed, want %d and %d", r.Issued(), r.Completed(), len(m.issued), len(m.done))
			}
		}
		for i := range n {
			if done := r.Done(uint64(i)) != 0; done != m.done[i] || r.HasIssued(uint64(i)) != m.issued[i] {
				t.Errorf("sample %d: issued %v, done %v", i, m.issued[i], m.done[i])
			}
		}
	})
}

type model struct {
	kind                Kind
	lanes, n            int
	count               []uint64
	issued, token, done map[int]bool
}

func newModel(kind Kind, lanes, n int) *model {
	return &model{kind, lanes, n, make([]uint64, lanes), map[int]bool{}, map[int]bool{}, map[int]bool{}}
}

// issue issues a lane's next sample, if it has one left.
func (m *model) issue(r *Recorder, lane int) {
	if next := int(m.count[lane])*m.lanes + lane; next < m.n {
		m.count[lane]++
		m.issued[next] = true
		r.Issue(lane, m.count[lane])
	}
}

func (m *model) firstToken(i int) Fault {
	switch {
	case !m.issued[i]:
		return NotIssued
	case m.done[i]:
		return Late
	case m.token[i]:
		return Again
	}
	m.token[i] = true
	return None
}

func (m *model) answer(i int) Fault {
	switch {
	case !m.issued[i]:
		return NotIssued
	case m.kind == FirstTokens && !m.token[i]:
		return NoFirstToken
	case m.done[i]:
		return Twice
	}
	m.done[i] = true
	return None
}

// complete answers a sample like LoadGen's responder.
func (m *model) complete(r *Recorder, id uint32, at int64) Fault {
	fault := None
	switch {
	case m.kind != Latencies:
		fault = r.CompleteTokens(id, at, 2)
	case !r.CompleteFast(id, at):
		fault = r.Complete(id, at)
	}
	if fault == None {
		r.Finish(1)
	}
	return fault
}
