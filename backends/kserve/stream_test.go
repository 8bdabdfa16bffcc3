package kserve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestTheCallIsChosen(t *testing.T) {
	with, without := serve(t, &server{streams: true}, ""), serve(t, &server{}, "")
	for _, c := range []struct{ url, stream, want string }{
		{with.address, "auto", "ModelStreamInfer"},
		{with.address, "on", "ModelStreamInfer"},
		{with.address, "off", "ModelInfer"},
		{without.address, "auto", "ModelInfer"},
		{with.address + "," + without.address, "auto", "ModelStreamInfer at 1 of 2 endpoints, else ModelInfer"},
	} {
		s := open(t, map[string]string{"url": c.url, "stream": c.stream})
		runMany(t, s, 20)
		if call := s.(backend.Describer).Describe().Details["call"]; call != c.want {
			t.Errorf("stream=%s at %s: %s, want %s", c.stream, c.url, call, c.want)
		}
	}
}

// TestAnswersFindTheirRequests sends many different requests over one stream, whose answers arrive in any order.
func TestAnswersFindTheirRequests(t *testing.T) {
	s := open(t, map[string]string{"url": serve(t, &server{streams: true}, "").address, "stream": "on"})
	var asking sync.WaitGroup
	for i := range 200 {
		asking.Go(func() {
			in, out := batch(), make([]backend.Tensor, 2)
			backend.View[int64](in[0].Data)[0] = int64(i)
			if err := s.Run(t.Context(), in, out); err != nil {
				t.Error(err)
			} else if n := backend.View[int64](out[1].Data)[0]; n != int64(i)+1 {
				t.Errorf("request %d has the answer %d", i, n)
			}
		})
	}
	asking.Wait()
}

func TestFaultsOfAStream(t *testing.T) {
	for _, c := range []struct {
		fault   string
		streams bool
		want    []string
		unasked bool
	}{
		{"other id", true, []string{`id "10"`}, true},
		{"other id", false, []string{`"10", want "1"`}, true},
		{"empty", true, []string{"an empty answer"}, false},
		{"bare", true, []string{"another kind than Triton's", "stream=off"}, false},
		{"ends", true, []string{"is lost", "ended the stream"}, false},
		{"breaks", true, []string{"a bug"}, false},
	} {
		t.Run(fmt.Sprint(c.fault, ", streams ", c.streams), func(t *testing.T) {
			srv := serve(t, &server{fault: c.fault, streams: c.streams, delay: 20 * time.Millisecond}, "")
			s := unclosed(t, map[string]string{"url": srv.address})
			err := run(t.Context(), s)
			wantAll(t, err, append(c.want, srv.address)...)
			if errors.Is(err, errUnrequested) != c.unasked {
				t.Errorf("%v, want %v: %v", err, errUnrequested, c.unasked)
			}
			if answered(s) != 0 {
				t.Error("an answer is counted")
			}
			_ = s.Close() // returns the server's fault again
		})
	}
}

// unclosed opens a session whose Close may fail.
func unclosed(t *testing.T, options map[string]string) backend.Session {
	t.Helper()
	s, err := Backend{}.Open(t.Context(), doubler(), backend.Config{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAnsweredTwice checks that Close reports a second answer to the last request.
func TestAnsweredTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := wired(t, nil, &server{fault: "twice", streams: true})
		if err := run(t.Context(), s); err != nil && !errors.Is(err, errUnrequested) {
			t.Error(err)
		}
		err := s.Close()
		wantAll(t, err, "a:1", `id "1"`)
		if fault := s.(backend.Describer).Describe().Details["fault of a:1"]; !strings.Contains(fault, `id "1"`) {
			t.Errorf("described with the fault %q", fault)
		}
		if !errors.Is(err, errUnrequested) {
			t.Errorf("%v is no %v", err, errUnrequested)
		}
	})
}

func TestARunAfterAnUnaskedAnswerFails(t *testing.T) {
	srv := serve(t, &server{fault: "twice", streams: true}, "")
	s := unclosed(t, map[string]string{"url": srv.address, "lost": "go-on"})
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		err = run(t.Context(), s)
	}
	if !errors.Is(err, errUnrequested) || !errors.Is(run(t.Context(), s), errUnrequested) {
		t.Errorf("%v, want %v", err, errUnrequested)
	}
	_ = s.Close()
}

// TestAnswersWithoutIDs checks that answers without ids are accepted if there is only one request at a time.
func TestAnswersWithoutIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := wired(t, nil, &server{fault: "no id", streams: true, delay: 20 * time.Millisecond})
		if err := errors.Join(run(t.Context(), s), run(t.Context(), s)); err != nil {
			t.Error(err)
		}
		errs := make([]error, 8)
		var asking sync.WaitGroup
		for i := range errs {
			asking.Go(func() { errs[i] = run(t.Context(), s) })
		}
		asking.Wait()
		wantAll(t, errors.Join(errs...), "without the id", "stream=off")
	})
}

// TestTheReasonIsKnownFirst checks that the first error of a stream is reported, not that of ending the call.
func TestTheReasonIsKnownFirst(t *testing.T) {
	s := &inferStream{}
	s.cancel = func() {
		if !errors.Is(s.err(), context.DeadlineExceeded) {
			t.Errorf("the reason is %v when the call ends", s.err())
		}
	}
	s.endStream(context.DeadlineExceeded)
}

func TestCloseTwice(t *testing.T) {
	s := unclosed(t, map[string]string{"url": serve(t, &server{streams: true}, "").address})
	if err := errors.Join(run(t.Context(), s), s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestAnErrorOfOneRequestOfAStream(t *testing.T) {
	s := open(t, map[string]string{"url": serve(t, &server{fault: "errors", streams: true}, "").address})
	if err := errors.Join(run(t.Context(), s), run(t.Context(), s)); err != nil {
		t.Fatal(err)
	}
	wantAll(t, run(t.Context(), s), "CUDA out of memory")
	if n := answered(s); n != 2 {
		t.Errorf("%d answers counted, want 2", n)
	}
}

// TestALateAnswerIsDropped checks that a late answer to an abandoned request does not end the stream.
func TestALateAnswerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := wired(t, nil, &server{streams: true, delay: 100 * time.Millisecond})
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			if err := run(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the end of the context", err)
			}
			cancel()
		}
		if err := errors.Join(run(t.Context(), s), s.Close()); err != nil {
			t.Error(err)
		}
	})
}

func TestHangsOfAStream(t *testing.T) {
	t.Run("no answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := wired(t, map[string]string{"timeout": "200ms"}, &server{streams: true, delay: time.Hour})
			wantAll(t, run(t.Context(), s), "no answer in time")
		})
	})
	t.Run("nothing is read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := wired(t, map[string]string{"timeout": "500ms"}, &server{streams: true, fault: "deaf"})
			if err := run(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			in, out := manyRows(1<<18), make([]backend.Tensor, 2)
			var err error
			for i := 0; i < 8 && err == nil; i++ { // until the buffers are full
				err = s.Run(t.Context(), in, out)
			}
			wantAll(t, err, "a:1", "no answer in time")
		})
	})
}

// manyRows returns inputs of n rows.
func manyRows(n int64) []backend.Tensor {
	return []backend.Tensor{
		{Name: "ids", DType: backend.Int64, Shape: []int64{n}, Data: make([]byte, 8*n)},
		{Name: "x", DType: backend.Float32, Shape: []int64{n, width}, Data: make([]byte, 4*width*n)},
	}
}

func TestSixtyFourInFlightOverOneStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &server{streams: true, delay: 50 * time.Millisecond}
		runMany(t, wired(t, nil, srv), 256)
		if n := srv.most.Load(); n != defaultConcurrency {
			t.Errorf("%d requests in flight at most, want %d", n, defaultConcurrency)
		}
	})
}
