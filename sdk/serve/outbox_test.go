package serve

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// slowStream takes a second of virtual time for each frame, and stores copies.
type slowStream struct {
	mu     sync.Mutex
	frames []*pluginpb.RunResponse
}

func (s *slowStream) send(f *pluginpb.RunResponse) error {
	time.Sleep(time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frames = append(s.frames, proto.Clone(f).(*pluginpb.RunResponse))
	return nil
}

// ids lists the ids that each frame answers.
func (s *slowStream) ids(t *testing.T) [][]loadgen.ResponseID {
	t.Helper()
	var all [][]loadgen.ResponseID
	for _, f := range s.frames {
		if ids := idsOf(t, f); len(ids) > 0 {
			all = append(all, ids)
		}
	}
	return all
}

// idsOf lists the ids that a frame answers.
func idsOf(t *testing.T, f *pluginpb.RunResponse) []loadgen.ResponseID {
	t.Helper()
	a, err := wire.ParseAnswers(f.GetComplete())
	if err != nil {
		t.Fatal(err)
	}
	var ids []loadgen.ResponseID
	for next := make([]loadgen.QuerySampleResponse, 1); a.Next(next) == 1; {
		ids = append(ids, next[0].ID)
	}
	return ids
}

// withOutbox runs f with an outbox of workload 1 on a slow stream, in virtual time, and waits until everything is sent.
func withOutbox(t *testing.T, f func(o *answerOutbox, s *slowStream)) *slowStream {
	t.Helper()
	s := &slowStream{}
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox()
		if err := o.connectStream(s.send); err != nil {
			t.Fatal(err)
		}
		o.beginWorkload(1)
		time.Sleep(time.Minute) // the first heartbeat was sent
		f(o, s)
		time.Sleep(time.Hour)
		o.disconnectStream()
		synctest.Wait()
	})
	return s
}

func one(o *answerOutbox, id loadgen.ResponseID) {
	o.addAnswers(wire.AnswerBatch{IDs: []loadgen.ResponseID{id}, Data: []byte("abcd"), Ends: []int{4}})
}

func TestAnswersThatComeWhileOneIsSentGoTogether(t *testing.T) {
	s := withOutbox(t, func(o *answerOutbox, _ *slowStream) {
		go one(o, 0)
		synctest.Wait()
		for id := loadgen.ResponseID(1); id < 5; id++ { // no call waits for the frame that is being sent
			start := time.Now()
			one(o, id)
			if time.Since(start) != 0 {
				t.Error("an answer waited")
			}
		}
	})
	want := [][]loadgen.ResponseID{{0}, {1, 2, 3, 4}}
	if got := s.ids(t); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("frames %v, want %v", got, want)
	}
}

func TestAFullFrameHoldsWorkersBack(t *testing.T) {
	payload := make([]byte, wire.ChunkBytes/2)
	s := withOutbox(t, func(o *answerOutbox, _ *slowStream) {
		for id := range loadgen.ResponseID(10) {
			go o.addAnswers(wire.AnswerBatch{IDs: []loadgen.ResponseID{id}, Data: payload, Ends: []int{len(payload)}})
		}
		synctest.Wait()
	})
	frames := s.ids(t)
	if len(frames) < 5 {
		t.Errorf("%d frames for 10 answers of half a frame", len(frames))
	}
	for _, f := range frames {
		if len(f) > 2 {
			t.Errorf("a frame of %d answers, which are half a frame each", len(f))
		}
	}
}

func TestHeartbeatsFollowTheAnswersTheyCount(t *testing.T) {
	s := withOutbox(t, func(o *answerOutbox, _ *slowStream) {
		for id := range loadgen.ResponseID(20) {
			o.received.Add(1)
			go one(o, id)
			go o.addHeartbeat(nil)
			time.Sleep(300 * time.Millisecond)
		}
	})
	var answered, beats uint64
	for _, f := range s.frames {
		answered += uint64(len(idsOf(t, f)))
		h := f.GetHeartbeat()
		if h == nil {
			continue
		}
		beats++
		if h.GetAnswered() != answered || h.GetReceived() < h.GetAnswered() {
			t.Errorf("a heartbeat says %d received, %d answered; %d answers came before it", h.GetReceived(), h.GetAnswered(),
				answered)
		}
	}
	if answered != 20 || beats == 0 {
		t.Errorf("%d answers, %d heartbeats", answered, beats)
	}
}

func TestFramesNameTheirWorkload(t *testing.T) {
	s := withOutbox(t, func(o *answerOutbox, _ *slowStream) {
		go one(o, 0)
		synctest.Wait()
		one(o, 1) // waits after it
		o.beginWorkload(2)
		one(o, 2)
	})
	var got []uint64
	for _, f := range s.frames {
		if f.GetComplete() != nil {
			got = append(got, f.GetWorkload())
		}
	}
	if want := [][]loadgen.ResponseID{{0}, {2}}; !slices.EqualFunc(s.ids(t), want, slices.Equal) ||
		!slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("answers %v of workloads %v, want %v of 1, 2", s.ids(t), got, want)
	}
}

func TestAFailureIsSentAfterTheAnswers(t *testing.T) {
	s := withOutbox(t, func(o *answerOutbox, _ *slowStream) {
		go one(o, 0)
		synctest.Wait()
		one(o, 1)
		o.addFailure(sdk.Data(errors.New("no such file")))
	})
	last := s.frames[len(s.frames)-1]
	if last.GetFailure().GetMessage() != "no such file" || last.GetFailure().GetCode() != 9 || len(s.ids(t)) != 2 {
		t.Errorf("%v", s.frames)
	}
}

// encoded refuses frames that cannot be encoded, like a ring.
func (s *slowStream) encoded(f *pluginpb.RunResponse) error {
	if _, err := proto.Marshal(f); err != nil {
		return err
	}
	return s.send(f)
}

// failures lists the texts of all sent failures.
func (s *slowStream) failures() (all []string) {
	for _, f := range s.frames {
		if f.GetFailure() != nil {
			all = append(all, f.GetFailure().GetMessage())
		}
	}
	return all
}

func TestAFailureThatIsNoUTF8IsSent(t *testing.T) {
	s := &slowStream{}
	synctest.Test(t, func(t *testing.T) {
		o := newOutbox()
		if err := o.connectStream(s.encoded); err != nil {
			t.Fatal(err)
		}
		o.beginWorkload(1)
		o.addFailure(status.Error(codes.Internal, "Ger\xe4t fehlt"))
		time.Sleep(time.Hour)
		o.disconnectStream()
		synctest.Wait()
	})
	if got := s.failures(); !slices.Equal(got, []string{"Ger\uFFFDt fehlt"}) {
		t.Errorf("failures %q", got)
	}
}

// A frame that cannot be sent is reported. A stream that accepts nothing any more is not retried forever.
func TestAFrameThatIsNotSentIsAFailure(t *testing.T) {
	for name, refused := range map[string]int{"one": 1, "all": 1 << 30} {
		t.Run(name, func(t *testing.T) {
			s := &slowStream{}
			tries := 0
			synctest.Test(t, func(t *testing.T) {
				o := newOutbox()
				if err := o.connectStream(func(f *pluginpb.RunResponse) error {
					if tries++; tries <= refused {
						return errors.New("too large")
					}
					return s.send(f)
				}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour)
				o.disconnectStream()
				synctest.Wait()
			})
			if got := s.failures(); tries != 2 || (refused == 1) != slices.Equal(got,
				[]string{"a frame cannot be sent: too large"}) {
				t.Errorf("%d frames, failures %q", tries, got)
			}
		})
	}
}

func TestOneStreamAtATime(t *testing.T) {
	o := newOutbox()
	stream := &slowStream{}
	if err := o.connectStream(stream.send); err != nil {
		t.Fatal(err)
	}
	if err := o.connectStream(stream.send); err == nil || !strings.Contains(err.Error(), "one at a time") {
		t.Errorf("error %v", err)
	}
	o.disconnectStream()
	one(o, 1) // dropped, and no call waits
}
