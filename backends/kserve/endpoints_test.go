package kserve

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestALostEndpoint(t *testing.T) {
	a, b := serve(t, &server{}, ""), serve(t, &server{}, "")
	urls := a.address + "," + b.address
	t.Run("ends the run", func(t *testing.T) {
		c := serve(t, &server{}, "")
		s := open(t, map[string]string{"url": c.address})
		c.stop()
		wantAll(t, run(t.Context(), s), c.address, "lost", "lost=go-on")
	})
	t.Run("the others go on", func(t *testing.T) {
		s := open(t, map[string]string{"url": urls, "lost": "go-on"})
		runMany(t, s, 20)
		a.stop()
		runMany(t, s, 100)
		if a.served.Load()+b.served.Load() != 120 {
			t.Errorf("%d and %d requests, want 120 in all", a.served.Load(), b.served.Load())
		}
		back := serve(t, &server{}, a.address) // on the previous address
		deadline := time.Now().Add(10 * time.Minute)
		for back.served.Load() == 0 && time.Now().Before(deadline) {
			runMany(t, s, 4)
			time.Sleep(50 * time.Millisecond)
		}
		if back.served.Load() == 0 {
			t.Error("an endpoint that is ready again gets no requests")
		}
		back.stop()
		b.stop()
		wantAll(t, run(t.Context(), s), "every endpoint is lost", a.address, b.address)
	})
}

func TestHalfOfTheEndpointsGone(t *testing.T) {
	for _, streams := range []bool{false, true} {
		t.Run(fmt.Sprint("streams ", streams), func(t *testing.T) {
			servers := make([]*server, 4)
			urls := make([]string, len(servers))
			for i := range servers {
				servers[i] = serve(t, &server{streams: streams, delay: time.Millisecond}, "")
				urls[i] = servers[i].address
			}
			url := strings.Join(urls, ",")
			ends, goesOn := open(t, map[string]string{"url": url}), open(t, map[string]string{"url": url, "lost": "go-on"})
			runMany(t, goesOn, 40)
			servers[1].stop()
			servers[3].stop()
			runMany(t, goesOn, 400)
			if n := answered(goesOn); n != 440 {
				t.Errorf("%d answers counted, want 440", n)
			}
			var err error
			for i := 0; i < 8 && err == nil; i++ {
				err = run(t.Context(), ends)
			}
			wantAll(t, err, "is lost", "lost=go-on")
			if !strings.Contains(err.Error(), urls[1]) && !strings.Contains(err.Error(), urls[3]) {
				t.Errorf("%v does not name the endpoint", err)
			}
		})
	}
}

// answered returns the number of batches that each endpoint of a session answered.
func answered(s backend.Session) (n uint64) {
	for _, e := range s.(*kserveSession).endpoints {
		n += e.done.Load()
	}
	return n
}

func TestARestartInMidRun(t *testing.T) {
	for _, streams := range []bool{false, true} {
		t.Run(fmt.Sprint("streams ", streams), func(t *testing.T) {
			a, b := serve(t, &server{streams: streams, delay: time.Millisecond}, ""),
				serve(t, &server{streams: streams, delay: time.Millisecond}, "")
			s := open(t, map[string]string{"url": a.address + "," + b.address, "lost": "go-on", "concurrency": "8"})
			var again atomic.Pointer[server]
			restarted := make(chan struct{})
			go func() {
				defer close(restarted)
				for a.served.Load() < 20 {
					time.Sleep(time.Millisecond)
				}
				a.stop()
				again.Store(serve(t, &server{streams: streams}, a.address))
			}()
			const runs = 2000
			runMany(t, s, runs)
			<-restarted
			if n := answered(s); n != runs {
				t.Errorf("%d answers counted, want %d", n, runs)
			}
		})
	}
}

func TestEndpointsMustBeAlike(t *testing.T) {
	a, b := serve(t, &server{}, ""), serve(t, &server{fault: "ones"}, "")
	_, err := Backend{}.Open(t.Context(), doubler(), backend.Config{
		Options: map[string]string{"url": a.address + "," + b.address},
	})
	wantAll(t, err, b.address, "as at endpoint "+a.address)
}
