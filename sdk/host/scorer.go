package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// scoreFrameBytes is how much of an accuracy log goes into one frame.
const scoreFrameBytes = 256 << 10

// scorer streams entries to the plugin: an sdk.Scorer.
type scorer struct {
	plugin *Plugin
	stream pluginpb.Plugin_ScoreClient
	ctx    context.Context // of the stream
	cancel context.CancelFunc
	pieces bool // the plugin takes a payload in pieces

	frame []*pluginpb.AccuracyEntry
	held  []byte // their payloads
}

// OpenScorer opens a scorer in the plugin; entries are streamed to it. Its Result ends it. ctx bounds all of its work.
func (p *Plugin) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	if err := checkScoreOptions(o); err != nil {
		return nil, err
	}
	pieces, err := p.able(ctx, wire.ScorePieces)
	if err != nil {
		return nil, err
	}
	if shows, err := p.able(ctx, wire.Exhibits); err != nil {
		return nil, err
	} else if !shows {
		o.Exhibits = 0
	}
	ctx, cancel := p.Context(ctx)
	s := &scorer{plugin: p, ctx: ctx, cancel: cancel, pieces: pieces, held: make([]byte, 0, scoreFrameBytes)}
	if s.stream, err = p.rpc.Score(ctx, large()); err != nil {
		return nil, s.failed(err)
	}
	if err := s.send(&pluginpb.ScoreRequest{Options: convert.To[*pluginpb.ScoreOptions](o)}); err != nil {
		return nil, err
	}
	if _, err := s.stream.Recv(); err != nil { // an empty answer: the scorer is open
		return nil, s.failed(err)
	}
	return s, nil
}

// Add sends an entry, once a frame is full. A large one goes out at once, in pieces where the plugin takes them.
func (s *scorer) Add(e mllog.AccuracyEntry) error {
	for s.pieces && len(e.Data) > scoreFrameBytes {
		piece := convert.Entry(e)
		piece.Data, piece.More = e.Data[:scoreFrameBytes], true
		s.frame = append(s.frame, piece)
		if err := s.flush(); err != nil {
			return err
		}
		e.Data = e.Data[scoreFrameBytes:]
	}
	if len(e.Data) < scoreFrameBytes {
		e.Data, e.TokenData = s.hold(e.Data), s.hold(e.TokenData)
	}
	s.frame = append(s.frame, convert.Entry(e))
	if len(e.Data)+len(s.held)+entryBytes*len(s.frame) < scoreFrameBytes {
		return nil
	}
	return s.flush()
}

// entryBytes is about what an entry takes beside its payload.
const entryBytes = 32

// hold copies bytes that change before the frame goes out.
func (s *scorer) hold(data []byte) []byte {
	if data == nil {
		return nil
	}
	n := len(s.held)
	s.held = append(s.held, data...)
	return s.held[n:len(s.held):len(s.held)]
}

// flush sends what is held. gRPC encodes it before Send returns.
func (s *scorer) flush() error {
	r := &pluginpb.ScoreRequest{Entries: s.frame}
	err := s.send(r)
	s.frame, s.held = s.frame[:0], s.held[:0]
	return err
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
	if errors.Is(err, io.EOF) {
		s.cancel()
		return sdk.Score{}, s.plugin.failure(KindProtocol, err, "score: it ended the call without a score", faultHint)
	}
	if err != nil {
		return sdk.Score{}, s.failed(err)
	}
	s.cancel()
	score := convert.To[sdk.Score](r.GetScore())
	if fault := misscored(score); fault != "" {
		return sdk.Score{}, s.plugin.failure(KindProtocol, nil, "its score makes no sense: "+fault, faultHint)
	}
	return score, nil
}

// mostScored bounds the texts of a score and their number: all of them stand in results.
const (
	mostScored      = 1 << 20
	mostScoredTexts = 10_000
)

// misscored says what is no score.
func misscored(s sdk.Score) string {
	var faults []string
	if s.Samples < 0 || s.Samples > mostSamples {
		faults = append(faults, fmt.Sprintf("it is of %d samples, want 0 to %d", s.Samples, mostSamples))
	}
	if len(s.Metrics) == 0 {
		faults = append(faults, "it has no metric, want at least one")
	}
	size, names := len(s.OfficialText), map[string]bool{}
	for _, note := range s.Notes {
		size += len(note)
	}
	for _, m := range s.Metrics {
		size += len(m.Name) + len(m.Unit)
		if m.Name == "" || names[m.Name] {
			faults = append(faults, fmt.Sprintf("it has two metrics, or one without a name, called %q", shorten(m.Name)))
		}
		names[m.Name] = true
	}
	if n := len(s.Notes) + len(s.Metrics); size > mostScored || n > mostScoredTexts {
		faults = append(faults, fmt.Sprintf("its %d metrics and notes and what the official script prints have %d bytes, "+
			"want at most %d and %d", n, size, mostScoredTexts, mostScored))
	}
	for _, f := range s.Files {
		folder, name := path.Split(f.Name)
		if !filepath.IsLocal(f.Name) || name == "" || strings.Trim(folder, "/") == "" || path.Clean(f.Name) != f.Name {
			faults = append(faults, fmt.Sprintf("it has a file %q, want FOLDER/NAME", shorten(f.Name)))
		}
	}
	return strings.Join(faults[:min(len(faults), mostNoted)], "; ")
}

// failed ends the stream and explains why.
func (s *scorer) failed(err error) error {
	defer s.cancel()
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return s.plugin.callError("score", err)
}
