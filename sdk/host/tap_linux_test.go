package host

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// After awaitKept, all output written into a pipe is stored, however late its reader gets a processor.
func TestAwaitedTapsHaveKeptWhatWasPrinted(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o := &pluginOutput{}
	from := newTap(r, o)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		o.drainReader(from)
		from.stopReading()
	}()
	const half, whole = "half a line, ", "half a line, and its end"
	for i := range 200 {
		line := fmt.Sprint("line ", i)
		if _, err := fmt.Fprint(w, line, "\n", half); err != nil {
			t.Fatal(err)
		}
		from.awaitKept()
		if _, err := fmt.Fprintln(w, whole[len(half):]); err != nil {
			t.Fatal(err)
		}
		if tail := o.lastLines(); !slices.Contains(tail, line) {
			t.Fatalf("%q is not kept, but %q", line, tail)
		}
		from.awaitKept()
		if tail := o.lastLines(); tail[len(tail)-1] != whole {
			t.Fatalf("the end of a line is not kept, but %q", tail)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
	from.awaitKept() // reading has ended, and no output remains
}
