package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

type runStream = grpc.BidiStreamingServer[pluginpb.RunRequest, pluginpb.RunResponse]

// Run answers each Issue frame with one frame, and sends heartbeats between them.
func (r *rawPlugin) Run(stream runStream) (err error) {
	defer func() {
		if recover() != nil {
			err = status.Error(codes.Aborted, errHangUp.Error())
		}
	}()
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	if r.misuse != nil {
		return r.misuse.playMisuse(stream, first.GetStart())
	}
	frames := make(chan *pluginpb.RunRequest)
	go receiveAll(stream, frames)
	beat := time.NewTicker(time.Duration(first.GetStart().GetHeartbeatNs()))
	defer beat.Stop()
	c := rawConversation{changeAnswer: r.changeAnswer, tokens: r.tokens, work: r.work, changeBeat: r.changeBeat}
	if err := stream.Send(&pluginpb.RunResponse{Heartbeat: &pluginpb.Heartbeat{}}); err != nil { // no workload is open yet
		return err
	}
	for {
		var answer *pluginpb.RunResponse
		select {
		case <-beat.C:
			answer = c.nextHeartbeat()
		case f, ok := <-frames:
			if !ok {
				return nil
			}
			if r.work != nil && c.frames == midRun { // report it in the middle of a run, even of a short one
				<-beat.C
				if err := stream.Send(c.nextHeartbeat()); err != nil {
					return err
				}
			}
			answer = c.answerIssue(f.GetIssue())
		}
		if answer == nil {
			continue
		}
		answer.Workload = workloadNumber
		if err := stream.Send(answer); err != nil {
			return err
		}
	}
}

func receiveAll(stream runStream, to chan<- *pluginpb.RunRequest) {
	defer close(to)
	for {
		f, err := stream.Recv()
		if errors.Is(err, io.EOF) || err != nil {
			return
		}
		to <- f
	}
}

// Sizes of a requested sample and of an id on the wire, in bytes.
const sampleBytes, idBytes = 8, 4

// tokensEach is the number of tokens in each answer of a plugin that generates.
const tokensEach = 5

// rawConversation is the state of a plugin's communication: the received frames and the answers.
type rawConversation struct {
	changeAnswer rawAnswer
	tokens       bool // answers include first tokens and token counts
	frames       int
	count        uint64
	owed         uint64 // number of unanswered samples of count
	silent       bool
	work         *pluginpb.Work
	changeBeat   func(h *pluginpb.Heartbeat, idle bool) *pluginpb.Heartbeat
	beaten       int // number of frames at the last heartbeat
}

func (c *rawConversation) nextHeartbeat() *pluginpb.RunResponse {
	if c.silent {
		return nil
	}
	h := &pluginpb.Heartbeat{Received: c.count, Answered: c.count - c.owed, Work: c.work}
	if c.changeBeat != nil {
		h = c.changeBeat(h, c.frames == c.beaten)
	}
	c.beaten = c.frames
	if h == nil {
		return nil
	}
	return &pluginpb.RunResponse{Heartbeat: h}
}

func (c *rawConversation) answerIssue(issue *pluginpb.Issue) *pluginpb.RunResponse {
	samples := issue.GetSamples()
	if len(samples) == 0 || c.silent {
		return nil
	}
	c.frames++
	n := uint64(len(samples) / sampleBytes)
	c.count += n
	answers := &pluginpb.Answers{}
	for at := 0; at < len(samples); at += sampleBytes {
		answers.Ids = append(answers.Ids, samples[at:at+idBytes]...)
	}
	frame := &pluginpb.RunResponse{Complete: answers}
	if c.tokens {
		frame.FirstTokens = &pluginpb.Answers{Ids: slices.Clone(answers.Ids)}
		answers.TokenCounts = bytes.Repeat([]byte{tokensEach, 0, 0, 0}, len(answers.Ids)/idBytes)
	}
	if c.frames < midRun {
		return frame
	}
	frame = c.changeAnswer(frame)
	c.silent = frame == nil
	if frame != nil && frame.Complete == nil {
		c.owed += n
	}
	return frame
}
