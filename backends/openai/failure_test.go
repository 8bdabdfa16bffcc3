package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// failing is a server that fails in given ways for its first requests.
func failing(times int64, f openaitest.Fault) *openaitest.Server {
	return openaitest.New(openaitest.Options{Model: "m", Owner: "vllm", IDs: true, Step: time.Microsecond,
		Fault: func(n int64) openaitest.Fault {
			if n < times {
				return f
			}
			return openaitest.Fault{}
		}})
}

func TestAsksAgainWhereNothingCame(t *testing.T) {
	for name, f := range map[string]openaitest.Fault{
		"cut":  {Cut: true},
		"busy": {Status: http.StatusServiceUnavailable},
		"many": {Status: http.StatusTooManyRequests},
	} {
		t.Run(name, func(t *testing.T) {
			server := failing(2, f)
			g := connect(t, serve(t, server))
			s, err := generate(t, g, prompt)
			if err != nil {
				t.Fatal(err)
			}
			if r := g.Report(); s.order != "fc" || s.complete[0].N != 5 || r.Retried != 2 || r.Restarted != 0 ||
				server.RequestCount() != 3 {
				t.Errorf("%s: %+v; %+v; asked %d times", s.order, s.complete, r, server.RequestCount())
			}
		})
	}
}

func TestGivesUp(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault openaitest.Fault
		is    error
		says  string
		asked int64
	}{
		{"gone", openaitest.Fault{Cut: true}, openai.ErrUnreachable, "asked 3 times", 3},
		{"busy", openaitest.Fault{Status: http.StatusServiceUnavailable}, openai.ErrServer, "asked 3 times: ", 3},
		{"wrong", openaitest.Fault{Status: http.StatusBadRequest}, openai.ErrServer, "told to refuse", 1},
		{"no model", openaitest.Fault{Status: http.StatusNotFound}, openai.ErrServer, "options model and url", 1},
		{"not allowed", openaitest.Fault{Status: http.StatusForbidden}, openai.ErrServer, "key_env", 1},
		{"cut within the answer", openaitest.Fault{After: 2, Cut: true}, openai.ErrStream,
			"2 parts had come (option on_failure=continue", 1},
		{"an error within the answer", openaitest.Fault{After: 2, Error: "no memory"}, openai.ErrServer, "no memory", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := failing(100, c.fault)
			g := connect(t, serve(t, server), "retries=2")
			s, err := generate(t, g, prompt)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || len(s.complete) > 0 ||
				server.RequestCount() != c.asked {
				t.Errorf("%v after %d requests, want one that says %q after %d; complete: %v", err, server.RequestCount(), c.says,
					c.asked, s.complete)
			}
		})
	}
}

func TestGoesOnWithAnotherServer(t *testing.T) {
	good := failing(0, openaitest.Fault{})
	bad := failing(100, openaitest.Fault{After: 2, Cut: true})
	g := connect(t, serve(t, bad, good), "on_failure=continue")
	for range 6 {
		s, err := generate(t, g, prompt)
		if err != nil {
			t.Fatal(err)
		}
		ids, _ := openaitest.Generated(promptJSON, 5)
		if s.order != "fc" || s.complete[0].N != 5 || len(s.complete[0].IDs) != 5 || s.complete[0].IDs[4] != ids[4] {
			t.Errorf("%s: %+v", s.order, s.complete)
		}
	}
	if text := g.Describe().Details["report"]; !strings.Contains(text, "6 answers") ||
		!strings.Contains(text, "broke off") {
		t.Errorf("described as %q", text)
	}
	if r := g.Report(); r.Restarted == 0 || r.Restarted != bad.RequestCount() || good.RequestCount() != 6 {
		t.Errorf("%+v; asked %d and %d times", r, bad.RequestCount(), good.RequestCount())
	}
}

// TestServerThatDisagrees checks that another server's answer must start with the reported first token.
func TestServerThatDisagrees(t *testing.T) {
	stream := func(id int, end string) http.Handler {
		return script(func(w http.ResponseWriter, _ *http.Request) {
			writeEvent(w, fmt.Sprintf(`{"choices":[{"text":"a","token_ids":[%d]}]}`, id))
			if end == "" {
				panic(http.ErrAbortHandler)
			}
			writeEvent(w, `{"choices":[{"text":"","finish_reason":"stop"}]}`)
			writeEvent(w, end)
		})
	}
	g := connect(t, serve(t, stream(1, ""), stream(2, "[DONE]")), "on_failure=continue")
	for range 2 { // one of the two calls meets the first server first
		s, err := generate(t, g, prompt)
		if err == nil && s.complete[0].IDs[0] == 2 {
			continue
		}
		if !errors.Is(err, openai.ErrStream) || !strings.Contains(err.Error(),
			"starts with the tokens [2], and the server before with [1]") {
			t.Fatal(err)
		}
		return
	}
	t.Error("no call met the first server")
}

func TestServerThatIsGone(t *testing.T) {
	down := apart(t, failing(0, openaitest.Fault{}))
	up := failing(0, openaitest.Fault{})
	g := connect(t, down.URL+","+serve(t, up), "retries=1", "on_failure=continue")
	down.CloseClientConnections()
	down.Close()
	for range 10 {
		if _, err := generate(t, g, prompt); err != nil {
			t.Fatal(err)
		}
	}
	if up.RequestCount() != 10 {
		t.Errorf("the other server was asked %d times", up.RequestCount())
	}
}

// TestTheOthersTakeTheLoad checks that a server that fails immediately gets no requests, even if all places of the
// others are taken.
func TestTheOthersTakeTheLoad(t *testing.T) {
	for name, f := range map[string]openaitest.Fault{
		"busy": {Status: http.StatusServiceUnavailable},
		"many": {Status: http.StatusTooManyRequests},
		"gone": {Cut: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				bad := failing(1<<60, f)
				good := openaitest.New(openaitest.Options{Model: "m", Owner: "vllm", IDs: true, Step: 2 * time.Millisecond})
				g := inMemory(t, []http.Handler{bad, good}, "on_failure=continue", "concurrency=4")
				var calls sync.WaitGroup
				for range g.Limits().Concurrency {
					calls.Go(func() {
						for range 8 {
							if _, err := generate(t, g, prompt); err != nil {
								t.Error(err)
							}
						}
					})
				}
				calls.Wait()
				if good.RequestCount() != 64 || bad.RequestCount() > 32 {
					t.Errorf("the server that answers was asked %d times, the other %d times; want 64 and few",
						good.RequestCount(), bad.RequestCount())
				}
			})
		})
	}
}

// TestRunEndsWithItsServer checks that without on_failure=continue a lost server ends the run although others answer.
func TestRunEndsWithItsServer(t *testing.T) {
	down := apart(t, failing(0, openaitest.Fault{}))
	g := connect(t, down.URL+","+serve(t, failing(0, openaitest.Fault{})), "retries=1")
	down.CloseClientConnections()
	down.Close()
	deadline := time.Now().Add(10 * time.Minute)
	for time.Now().Before(deadline) {
		if _, err := generate(t, g, prompt); err != nil {
			if !strings.Contains(err.Error(), "connection refused") ||
				!strings.Contains(err.Error(), strings.TrimPrefix(down.URL, "http://")) {
				t.Error(err)
			}
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("the run went on")
}

func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		name   string
		fault  openaitest.Fault
		option string
		says   string
		waits  time.Duration
	}{
		{"first", openaitest.Fault{Stall: true}, "first_timeout=30ms", "first_timeout", 30 * time.Millisecond},
		{"idle", openaitest.Fault{After: 2, Stall: true}, "idle_timeout=30ms", "idle_timeout", 30 * time.Millisecond},
		{"total", openaitest.Fault{After: 2, Stall: true}, "timeout=30ms", "within timeout", 30 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, start := failing(100, c.fault), time.Now()
				s, err := generate(t, inMemory(t, []http.Handler{server}, c.option), prompt)
				if err == nil || !strings.Contains(err.Error(), c.says) || len(s.complete) > 0 || server.RequestCount() != 1 {
					t.Errorf("%v after %d requests, want one that says %q", err, server.RequestCount(), c.says)
				}
				if waited := time.Since(start); waited < c.waits || waited > 2*c.waits {
					t.Errorf("waited %v, want about %v", waited, c.waits)
				}
			})
		})
	}
	t.Run("the server of a whole answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, err := generate(t, inMemory(t, []http.Handler{failing(100, openaitest.Fault{Stall: true})},
				"timeout=30ms"), prompt)
			if !errors.Is(err, openai.ErrStream) || !strings.Contains(err.Error(), "server0:80") {
				t.Errorf("%v, want %v with the server's name", err, openai.ErrStream)
			}
		})
	})
	t.Run("a whole answer that waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			g := inMemory(t, []http.Handler{failing(100, openaitest.Fault{Stall: true})}, "timeout=30ms", "concurrency=1")
			var calls sync.WaitGroup
			for range 2 {
				calls.Go(func() {
					if _, err := generate(t, g, prompt); !errors.Is(err, openai.ErrStream) {
						t.Errorf("%v, want %v", err, openai.ErrStream)
					}
				})
			}
			calls.Wait()
		})
	})
	t.Run("another server takes over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stalling := failing(1, openaitest.Fault{After: 2, Stall: true})
			g := inMemory(t, []http.Handler{stalling}, "idle_timeout=30ms", "on_failure=continue")
			if s, err := generate(t, g, prompt); err != nil || s.complete[0].N != 5 || g.Report().Restarted != 1 {
				t.Errorf("%v, %+v", err, g.Report())
			}
		})
	})
}

func TestCancel(t *testing.T) {
	server := failing(100, openaitest.Fault{After: 1, Stall: true})
	g := connect(t, serve(t, server), "concurrency=1")
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &waitingSink{first: make(chan struct{})}
	var calls sync.WaitGroup
	calls.Go(func() {
		if err := g.Generate(ctx, prompt, s); !errors.Is(err, cause) {
			t.Errorf("in work: %v", err)
		}
	})
	<-s.first
	calls.Go(func() {
		if err := g.Generate(ctx, prompt, &sink{}); !errors.Is(err, cause) {
			t.Errorf("waiting: %v", err)
		}
	})
	cancel(cause)
	calls.Wait()
	if server.RequestCount() != 1 {
		t.Errorf("asked %d times", server.RequestCount())
	}
}

func TestConcurrencyAndBalance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		servers := make([]*openaitest.Server, 3)
		handlers := make([]http.Handler, 3)
		for i := range servers {
			servers[i] = openaitest.New(openaitest.Options{Model: "m", Owner: "vllm", IDs: true, First: 2 * time.Millisecond})
			handlers[i] = servers[i]
		}
		g := inMemory(t, handlers, "concurrency=4")
		if n := g.Limits().Concurrency; n != 12 {
			t.Errorf("limit %d, want 12", n)
		}
		var calls sync.WaitGroup
		for range 120 {
			calls.Go(func() {
				if _, err := generate(t, g, prompt); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		for i, s := range servers {
			if s.MaxConcurrent() != 4 || s.RequestCount() != 40 {
				t.Errorf("server %d: %d requests, %d at a time, want 40 and 4", i, s.RequestCount(), s.MaxConcurrent())
			}
		}
	})
}

// busyAtFirst is a server that asks to wait 3 s at its first request and then answers after the given times.
func busyAtFirst(takes time.Duration) http.Handler {
	asked := 0
	return script(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 1 {
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		time.Sleep(takes)
		writeEvent(w, `{"choices":[{"text":"a","token_ids":[1],"finish_reason":"stop"}]}`)
		writeEvent(w, "[DONE]")
	})
}

func TestBusyServerIsGivenTheTimeItAsksFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inMemory(t, []http.Handler{busyAtFirst(0)})
		start := time.Now()
		if _, err := generate(t, g, prompt); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited < 3*time.Second || waited > 4*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

// TestPausesAreNotTheServers checks that the cache watch excludes pauses from the server's times.
func TestPausesAreNotTheServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := inMemory(t, []http.Handler{busyAtFirst(10 * time.Millisecond)})
		for range 2 {
			if _, err := generate(t, g, prompt); err != nil {
				t.Fatal(err)
			}
		}
		if r := g.Report(); r.Repeated != 1 || r.Soon != 0 {
			t.Errorf("%+v, want one repeated prompt that came no sooner", r)
		}
	})
}
