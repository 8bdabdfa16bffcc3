package host

import (
	"context"
	"errors"
	"io"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/fromproto"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/toproto"
)

// scoreFrameBytes is how much of an accuracy log goes into one frame.
const scoreFrameBytes = 256 << 10

// scorer streams entries to the plugin: an sdk.Scorer.
type scorer struct {
	plugin *Plugin
	stream pluginpb.Plugin_ScoreClient
	ctx    context.Context // of the stream
	cancel context.CancelFunc
	frame  []*pluginpb.AccuracyEntry
	bytes  int
}

// OpenScorer opens a scorer in the plugin; entries are streamed to it. Its Result ends it. ctx bounds all of its work.
func (p *Plugin) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	ctx, cancel := p.Context(ctx)
	s := &scorer{plugin: p, ctx: ctx, cancel: cancel}
	var err error
	if s.stream, err = p.rpc.Score(ctx); err != nil {
		return nil, s.failed(err)
	}
	if err := s.send(&pluginpb.ScoreRequest{Options: toproto.ScoreOptions(o)}); err != nil {
		return nil, err
	}
	if _, err := s.stream.Recv(); err != nil { // an empty answer: the scorer is open
		return nil, s.failed(err)
	}
	return s, nil
}

// Add sends an entry, once a frame is full.
func (s *scorer) Add(e mllog.AccuracyEntry) error {
	s.frame = append(s.frame, toproto.Entry(e))
	s.bytes += len(e.Data) + len(e.TokenData)
	if s.bytes+32*len(s.frame) < scoreFrameBytes {
		return nil
	}
	return s.flush()
}

func (s *scorer) flush() error {
	r := &pluginpb.ScoreRequest{Entries: s.frame}
	s.frame, s.bytes = nil, 0
	return s.send(r)
}

// send sends a request. Where the plugin has ended the stream, its reason is the error.
func (s *scorer) send(r *pluginpb.ScoreRequest) error {
	err := s.stream.Send(r)
	if errors.Is(err, io.EOF) {
		for err = nil; err == nil; {
			_, err = s.stream.Recv()
		}
	}
	if err != nil {
		return s.failed(err)
	}
	return nil
}

// Result ends the log and returns the score.
func (s *scorer) Result() (sdk.Score, error) {
	if err := s.flush(); err != nil {
		return sdk.Score{}, err
	}
	if err := s.stream.CloseSend(); err != nil {
		return sdk.Score{}, s.failed(err)
	}
	r, err := s.stream.Recv()
	if err != nil {
		return sdk.Score{}, s.failed(err)
	}
	s.cancel()
	return fromproto.Score(r.GetScore()), nil
}

// failed ends the stream and explains why.
func (s *scorer) failed(err error) error {
	defer s.cancel()
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return s.plugin.callError("score", err)
}
