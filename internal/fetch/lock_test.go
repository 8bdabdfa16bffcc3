package fetch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestLockWaitEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	f := File{Name: "m", URL: "https://example.com/m"}
	unlock, err := open(t, dir, Options{}).lockFile(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	waiting := 0
	c := open(t, dir, Options{Progress: func(p Progress) {
		if waiting++; p.Phase != Waiting || p.Name != "m" {
			t.Errorf("progress %+v", p)
		}
		if waiting == 3 {
			cancel(stop)
		}
	}})
	if _, err := c.lockFile(ctx, f); !errors.Is(err, stop) || waiting != 3 {
		t.Errorf("%v after %d waits, want %v after 3", err, waiting, stop)
	}
	unlock()
	unlock, err = c.lockFile(t.Context(), f)
	if err != nil {
		t.Fatalf("a lock that is free: %v", err)
	}
	unlock()
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := sleepContext(t.Context(), time.Minute); err != nil || time.Since(start) != time.Minute {
			t.Errorf("slept %v, %v", time.Since(start), err)
		}
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		if err := sleepContext(ctx, time.Hour); !errors.Is(err, stop) {
			t.Errorf("got %v, want %v", err, stop)
		}
		if total := time.Since(start); total != time.Minute+time.Second {
			t.Errorf("both took %v, want 61 s", total)
		}
	})
}

// TestLocateWaitsForTheReceipt looks for a file that another process has moved to its place, and not yet written down.
func TestLocateWaitsForTheReceipt(t *testing.T) {
	dir, data := t.TempDir(), []byte("data")
	f := File{Name: "m", URL: "https://example.com/m"}
	other := open(t, dir, Options{})
	unlock, err := other.lockFile(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	place(t, other.Path(f), data)
	c := open(t, dir, Options{Sleep: func(context.Context, time.Duration) error {
		defer unlock()
		return writeReceipt(other.cachePaths(f), cacheReceipt{URL: f.URL, SHA256: sumOf(data), Size: int64(len(data))})
	}})
	if item, err := c.Locate(t.Context(), f); err != nil || item.Placed {
		t.Errorf("%+v, %v: want a file that was fetched", item, err)
	}
}
