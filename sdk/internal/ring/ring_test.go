package ring

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// chime is a Bell within one process.
type chime struct {
	rung  chan struct{}
	close func()
	done  chan struct{}
}

func newChime() *chime {
	c := &chime{rung: make(chan struct{}, 1), done: make(chan struct{})}
	c.close = sync.OnceFunc(func() { close(c.done) })
	return c
}

func (c *chime) Ring() {
	select {
	case c.rung <- struct{}{}:
	default:
	}
}

func (c *chime) Wait() error {
	select {
	case <-c.rung:
		return nil
	case <-c.done:
		return ErrClosed
	}
}

func (c *chime) Close() { c.close() }

const maxBytes = 64 << 20

// pair returns both processes' ends of the same memory.
func pair() (harness, plugin *RingEnds) {
	b := aligned(Bytes)
	bells := [4]Bell{newChime(), newChime(), newChime(), newChime()}
	none := func() error { return nil }
	return newEnds(b, bells, false, maxBytes, none), newEnds(b, bells, true, maxBytes, none)
}

// aligned returns memory that starts at a multiple of 8.
func aligned(n int) []byte {
	words := make([]uint64, n/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// collect runs a receiver until it has n frames, and returns copies of them.
func collect(t *testing.T, e *RingEnds, n int) [][]byte {
	t.Helper()
	var frames [][]byte
	err := NewReceiver(e.Reader, func(b []byte) error {
		frames = append(frames, bytes.Clone(b))
		if len(frames) == n {
			return errEnough
		}
		return nil
	}).Run(always)
	if !errors.Is(err, errEnough) {
		t.Errorf("error %v after %d frames of %d", err, len(frames), n)
	}
	return frames
}

func always() bool { return true }

var errEnough = errors.New("enough")

func frameOf(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func TestFramesComeAsTheyWere(t *testing.T) {
	for name, c := range map[string]struct {
		count int
		size  func(rng *rand.Rand, i int) int
	}{
		"empty":                  {100, func(*rand.Rand, int) int { return 0 }},
		"small":                  {5000, func(rng *rand.Rand, _ int) int { return rng.IntN(100) }},
		"one that fills it":      {3, func(*rand.Rand, int) int { return toHarness - headerBytes }},
		"one byte more":          {3, func(*rand.Rand, int) int { return toHarness - headerBytes + 1 }},
		"larger than the ring":   {4, func(rng *rand.Rand, i int) int { return toHarness*(i+1) + rng.IntN(99) }},
		"small and large":        {200, func(rng *rand.Rand, i int) int { return []int{7, 100_000, 0, 1_500_000}[i%4] }},
		"a header over the seam": {300, func(*rand.Rand, int) int { return toHarness/64 - headerBytes - 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			harness, plugin := pair()
			rng := rand.New(rand.NewPCG(1, 2))
			var want [][]byte
			for i := range c.count {
				want = append(want, frameOf(rng, c.size(rng, i)))
			}
			go func() {
				for _, frame := range want {
					if err := plugin.Writer.Write(frame); err != nil {
						t.Error(err)
						harness.Close()
						return
					}
				}
			}()
			for i, got := range collect(t, harness, len(want)) {
				if !bytes.Equal(got, want[i]) {
					t.Fatalf("frame %d: %d bytes, want %d, or others", i, len(got), len(want[i]))
				}
			}
		})
	}
}

func TestBothDirections(t *testing.T) {
	harness, plugin := pair()
	go func() { // the plugin returns every frame
		_ = NewReceiver(plugin.Reader, func(b []byte) error { return plugin.Writer.Write(b) }).Run(always)
	}()
	defer plugin.Close()
	r := NewReceiver(harness.Reader, func([]byte) error { return nil })
	answered := 0
	r.handle = func([]byte) error { answered++; return nil }
	done := make(chan error, 1)
	go func() { done <- r.Run(NeverLook) }()
	for i := range 1000 {
		begun := r.Begin()
		if err := harness.Writer.Write([]byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
		want := i + 1
		if begun {
			r.Finish(func() bool { return answered < want })
		}
		for got := 0; got < want; runtime.Gosched() { // Run handles the frames that Finish did not wait for
			r.Lock()
			got = answered
			r.Unlock()
		}
	}
	harness.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
	if r.Begin() {
		t.Error("one may begin on a ring that is closed")
	}
}

func TestCloseEndsWhatWaits(t *testing.T) {
	harness, plugin := pair()
	full := make(chan error, 1)
	go func() { full <- plugin.Writer.Write(make([]byte, 3*toHarness)) }()
	idle := make(chan error, 1)
	go func() { idle <- NewReceiver(plugin.Reader, func([]byte) error { return nil }).Run(NeverLook) }()
	for !harness.Reader.Ready() { // until it begins to write
		runtime.Gosched()
	}
	plugin.Close()
	if err := <-full; !errors.Is(err, ErrClosed) {
		t.Errorf("the writer ends with %v", err)
	}
	if err := <-idle; !errors.Is(err, ErrClosed) {
		t.Errorf("the reader ends with %v", err)
	}
	if err := plugin.Writer.Write(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a later write ends with %v", err)
	}
	plugin.Close() // again
}

// If the other process changes the memory, the result is an error and never a crash.
func TestCorruptMemory(t *testing.T) {
	length := func(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }
	for name, c := range map[string]struct {
		spoil func(m *ringMemory)
		want  string
	}{
		"more than it holds": {func(m *ringMemory) { m.written.Store(m.capacity() + 1) },
			"1048577 bytes are written, 0 were read"},
		"a counter from nowhere": {func(m *ringMemory) { m.written.Store(1 << 63) }, "the ring holds 1048576"},
		"a frame over the limit": {func(m *ringMemory) { copy(m.data, length(maxBytes+1)); m.written.Store(4) },
			"a frame of 67108865 bytes, the limit is 67108864"},
		"minus one": {func(m *ringMemory) { copy(m.data, length(1<<32-1)); m.written.Store(4) },
			"a frame of 4294967295 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			harness, plugin := pair()
			c.spoil(&plugin.Writer.ringMemory)
			err := NewReceiver(harness.Reader, func([]byte) error { return nil }).Run(NeverLook)
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	t.Run("read before written", func(t *testing.T) {
		harness, plugin := pair()
		harness.Reader.read.Store(1 << 40)
		if err := plugin.Writer.Write([]byte("x")); !errors.Is(err, ErrCorrupt) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("written goes back", func(t *testing.T) {
		harness, plugin := pair()
		if err := plugin.Writer.Write([]byte("good")); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := harness.Reader.TryRead(); !ok || err != nil {
			t.Fatalf("%v, error %v", ok, err)
		}
		plugin.Writer.written.Store(2)
		if _, _, err := harness.Reader.TryRead(); !errors.Is(err, ErrCorrupt) {
			t.Errorf("error %v", err)
		}
	})
}

// A length without a frame takes no memory.
func TestALengthAloneTakesNoMemory(t *testing.T) {
	harness, plugin := pair()
	copy(plugin.Writer.data, binary.LittleEndian.AppendUint32(nil, maxBytes))
	plugin.Writer.written.Store(4)
	if _, ok, err := harness.Reader.TryRead(); ok || err != nil || cap(harness.Reader.frame) > 0 {
		t.Errorf("%v, error %v, %d bytes", ok, err, cap(harness.Reader.frame))
	}
}

func TestLooksEndWhereTheyAreInVain(t *testing.T) {
	harness, _ := pair()
	l := &pollPolicy{}
	looked := 0
	for range 1000 {
		if l.shouldPoll() {
			looked++
			l.pollBriefly(harness.Reader)
		}
	}
	if most := maxVainPolls + 1000/retryEvery + 1; looked > most {
		t.Errorf("it looked %d times of 1000 in vain, want %d at most", looked, most)
	}
	harness.Reader.written.Store(1)
	if !l.pollBriefly(harness.Reader) {
		t.Error("it does not see what is there")
	}
}

func TestAHandlersErrorEndsTheReceiver(t *testing.T) {
	harness, plugin := pair()
	refused := errors.New("refused")
	r := NewReceiver(harness.Reader, func([]byte) error { return refused })
	done := make(chan error, 1)
	if !r.Begin() {
		t.Fatal("nobody reads, and one cannot begin")
	}
	go func() { done <- r.Run(NeverLook) }()
	if err := plugin.Writer.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	r.Finish(func() bool { return true }) // the frame is handled here, and Run reports the error
	if err := <-done; !errors.Is(err, refused) {
		t.Errorf("error %v, want the handler's", err)
	}
}

// Whatever the other process writes into the memory, reading ends with frames, with nothing, or with an error.
func FuzzReader(f *testing.F) {
	f.Add([]byte{3, 0, 0, 0, 'a', 'b', 'c'}, uint64(7))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0}, uint64(8))
	f.Add([]byte{255, 255, 255, 255}, uint64(4))
	f.Add([]byte{1, 0}, uint64(1<<40))
	harness, plugin := pair()
	f.Fuzz(func(t *testing.T, data []byte, written uint64) {
		*harness.Reader = FrameReader{ringMemory: harness.Reader.ringMemory, bells: harness.Reader.bells, maxFrame: 1 << 10}
		clear(plugin.Writer.data)
		copy(plugin.Writer.data, data)
		plugin.Writer.written.Store(written)
		total := uint64(0)
		for {
			frame, ok, err := harness.Reader.TryRead()
			if err != nil {
				if !errors.Is(err, ErrCorrupt) {
					t.Errorf("error %v", err)
				}
				return
			}
			if !ok {
				break
			}
			if total += headerBytes + uint64(len(frame)); total > written {
				t.Fatalf("%d bytes of frames out of %d", total, written)
			}
		}
		if harness.Reader.position != written {
			t.Errorf("%d bytes read of %d", harness.Reader.position, written)
		}
	})
}

func BenchmarkWriteAndRead(b *testing.B) {
	harness, plugin := pair()
	frame := make([]byte, 32)
	b.ReportAllocs()
	for b.Loop() {
		if err := plugin.Writer.Write(frame); err != nil {
			b.Fatal(err)
		}
		if _, ok, err := harness.Reader.TryRead(); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// The memory has the layout documented in docs/protocol.md.
func TestTheLayoutIsTheDocumentedOne(t *testing.T) {
	text, err := os.ReadFile("../../../docs/protocol.md")
	if err != nil {
		t.Skip("not in a checkout of the whole project:", err)
	}
	comma := func(n int) string {
		digits := strconv.Itoa(n)
		for at := len(digits) - 3; at > 0; at -= 3 {
			digits = digits[:at] + "," + digits[at:]
		}
		return digits
	}
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, line := range []string{
		"a memfd of " + comma(Bytes) + " bytes",
		"| ring to the plugin: data | " + comma(dataAt) + " | " + comma(toPlugin) + " |",
		"| ring to the harness: counters | " + comma(dataAt+toPlugin) + " | " + comma(dataAt) + " |",
		"| ring to the harness: data | " + comma(dataAt+toPlugin+dataAt) + " | " + comma(toHarness) + " |",
		"| written | " + comma(writtenAt) + " |", "| read | " + comma(readAt) + " |",
		"| reader waits | " + comma(readerWaitsAt) + " |", "| writer waits | " + comma(writerWaitsAt) + " |",
	} {
		if !strings.Contains(words, line) {
			t.Errorf("docs/protocol.md does not say %q", line)
		}
	}
}
