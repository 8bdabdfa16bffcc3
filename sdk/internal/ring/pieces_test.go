package ring

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

// encoded returns frames in the form of the ring.
func encoded(frames ...[]byte) []byte {
	var b []byte
	for _, f := range frames {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(f)))
		b = append(b, f...)
	}
	return b
}

// trickle shows b to the reader in pieces whose lengths come from next, and returns copies of the frames that the
// reader finds.
func trickle(t *testing.T, w *FrameWriter, r *FrameReader, b []byte, next func() int) [][]byte {
	t.Helper()
	var frames [][]byte
	for len(b) > 0 {
		n := min(max(next(), 1), len(b))
		w.putBytes(b[:n])
		w.publish()
		b = b[n:]
		for {
			frame, ok, err := r.TryRead()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			frames = append(frames, bytes.Clone(frame))
		}
	}
	return frames
}

// A writer that stops at any byte, even in the length, and continues later writes complete frames.
func TestFramesInPieces(t *testing.T) {
	want := [][]byte{[]byte("one"), {}, []byte("a longer one"), {7}}
	for size := 1; size < 30; size++ {
		harness, plugin := pair()
		got := trickle(t, plugin.Writer, harness.Reader, encoded(want...), func() int { return size })
		if len(got) != len(want) {
			t.Fatalf("pieces of %d bytes: %d frames, want %d", size, len(got), len(want))
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("pieces of %d bytes: frame %d is %q, want %q", size, i, got[i], want[i])
			}
		}
	}
}

// If a writer dies in the middle of a frame, the frame never arrives, and no reader stays blocked.
func TestADeadWritersFrameNeverComes(t *testing.T) {
	whole := encoded([]byte("never to be seen"))
	for cut := range whole {
		harness, plugin := pair()
		if got := trickle(t, plugin.Writer, harness.Reader, whole[:cut], func() int { return 3 }); len(got) != 0 {
			t.Errorf("%d bytes of %d: frames %q", cut, len(whole), got)
		}
		ended := make(chan error, 1)
		go func() {
			ended <- NewReceiver(harness.Reader, func(b []byte) error { t.Errorf("frame %q", b); return nil }).Run(NeverLook)
		}()
		harness.Close() // the end of the stream signals the death of the process
		if err := <-ended; !errors.Is(err, ErrClosed) {
			t.Errorf("%d bytes: the receiver ends with %v", cut, err)
		}
	}
}

// If a reader dies, no writer stays blocked.
func TestADeadReaderFreesTheWriter(t *testing.T) {
	harness, plugin := pair()
	ended := make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			err = plugin.Writer.Write(make([]byte, toHarness/3))
		}
		ended <- err
	}()
	for harness.Reader.written.Load() < toHarness { // until the ring is full
		time.Sleep(100 * time.Microsecond)
	}
	plugin.Close()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("the writer ends with %v", err)
	}
}

// A slow reader blocks the writer. No data is lost, and the writer is never ahead by more than one ring.
func TestASlowReaderHoldsTheWriterBack(t *testing.T) {
	harness, plugin := pair()
	rng := rand.New(rand.NewPCG(3, 4))
	var want [][]byte
	for range 40 {
		want = append(want, frameOf(rng, toHarness/5+rng.IntN(1000)))
	}
	go func() {
		for _, f := range want {
			if err := plugin.Writer.Write(f); err != nil {
				t.Error(err)
			}
		}
	}()
	n := 0
	err := NewReceiver(harness.Reader, func(b []byte) error {
		time.Sleep(time.Millisecond)
		if ahead := harness.Reader.written.Load() - harness.Reader.position; ahead > toHarness {
			t.Errorf("%d bytes are ahead", ahead)
		}
		if !bytes.Equal(b, want[n]) {
			t.Errorf("frame %d is another one", n)
		}
		if n++; n == len(want) {
			return errEnough
		}
		return nil
	}).Run(NeverLook)
	if !errors.Is(err, errEnough) || n != len(want) {
		t.Errorf("%d frames of %d, error %v", n, len(want), err)
	}
}

// However the bytes of frames are cut into pieces, and wherever in the ring they begin, the reader finds the same
// frames.
func FuzzPieces(f *testing.F) {
	f.Add([]byte("abc"), []byte{}, uint8(1), uint32(0))
	f.Add([]byte("a frame"), []byte("and another"), uint8(3), uint32(toHarness-5))
	f.Add(make([]byte, 300), []byte{1}, uint8(200), uint32(toHarness-1))
	harness, plugin := pair()
	f.Fuzz(func(t *testing.T, one, two []byte, size uint8, start uint32) {
		at := uint64(start) % (4 * toHarness)
		*harness.Reader = FrameReader{ringMemory: harness.Reader.ringMemory, bells: harness.Reader.bells, maxFrame: maxBytes,
			position: at}
		*plugin.Writer = FrameWriter{ringMemory: plugin.Writer.ringMemory, bells: plugin.Writer.bells, position: at}
		plugin.Writer.written.Store(at)
		plugin.Writer.read.Store(at)
		if len(one)+len(two)+2*headerBytes > toHarness {
			return
		}
		got := trickle(t, plugin.Writer, harness.Reader, encoded(one, two), func() int { return int(size) })
		if len(got) != 2 || !bytes.Equal(got[0], one) || !bytes.Equal(got[1], two) {
			t.Fatalf("%d frames of %q and %q in pieces of %d at %d: %q", len(got), one, two, size, at, got)
		}
	})
}
