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

// scoreFrameBytes is the number of bytes of an accuracy log in one frame.
const scoreFrameBytes = 256 << 10

// pluginScorer implements sdk.Scorer by streaming entries to the plugin.
type pluginScorer struct {
	plugin *Plugin
	stream pluginpb.Plugin_ScoreClient
	ctx    context.Context // of the stream
	cancel context.CancelFunc
	pieces bool // the plugin accepts payloads in pieces

	frame []*pluginpb.AccuracyEntry
	held  []byte // payloads of frame
}

// OpenScorer opens a scorer in the plugin. Entries are streamed to it. Its Result method ends it. ctx limits all of its
// work.
func (p *Plugin) OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	if err := checkScoreOptions(o); err != nil {
		return nil, err
	}
	pieces, err := p.hasCapability(ctx, wire.ScorePieces)
	if err != nil {
		return nil, err
	}
	if shows, err := p.hasCapability(ctx, wire.Exhibits); err != nil {
		return nil, err
	} else if !shows {
		o.Exhibits = 0
	}
	ctx, cancel := p.Context(ctx)
	s := &pluginScorer{plugin: p, ctx: ctx, cancel: cancel, pieces: pieces, held: make([]byte, 0, scoreFrameBytes)}
	if s.stream, err = p.rpc.Score(ctx, largeMessages()); err != nil {
		return nil, s.failStream(err)
	}
	if err := s.sendRequest(&pluginpb.ScoreRequest{Options: convert.To[*pluginpb.ScoreOptions](o)}); err != nil {
		return nil, err
	}
	if _, err := s.stream.Recv(); err != nil { // an empty answer means that the scorer is open
		return nil, s.failStream(err)
	}
	return s, nil
}

// Add stores an entry and sends full frames. It sends a large entry immediately, in pieces if the plugin accepts them.
func (s *pluginScorer) Add(e mllog.AccuracyEntry) error {
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
		e.Data, e.TokenData = s.copyBytes(e.Data), s.copyBytes(e.TokenData)
	}
	s.frame = append(s.frame, convert.Entry(e))
	if len(e.Data)+len(s.held)+entryBytes*len(s.frame) < scoreFrameBytes {
		return nil
	}
	return s.flush()
}

// entryBytes is the approximate size of an entry without its payload.
const entryBytes = 32

// copyBytes copies bytes that may change before the frame is sent.
func (s *pluginScorer) copyBytes(data []byte) []byte {
	if data == nil {
		return nil
	}
	n := len(s.held)
	s.held = append(s.held, data...)
	return s.held[n:len(s.held):len(s.held)]
}

// flush sends the stored entries. gRPC encodes them before Send returns.
func (s *pluginScorer) flush() error {
	r := &pluginpb.ScoreRequest{Entries: s.frame}
	err := s.sendRequest(r)
	s.frame, s.held = s.frame[:0], s.held[:0]
	return err
}

// sendRequest sends a request. If the plugin has ended the stream, it returns the plugin's reason.
func (s *pluginScorer) sendRequest(r *pluginpb.ScoreRequest) error {
	err := s.stream.Send(r)
	if errors.Is(err, io.EOF) {
		for err = nil; err == nil; {
			_, err = s.stream.Recv()
		}
	}
	if err != nil {
		return s.failStream(err)
	}
	return nil
}

// Result ends the log and returns the score.
func (s *pluginScorer) Result() (sdk.Score, error) {
	if err := s.flush(); err != nil {
		return sdk.Score{}, err
	}
	if err := s.stream.CloseSend(); err != nil {
		return sdk.Score{}, s.failStream(err)
	}
	r, err := s.stream.Recv()
	if errors.Is(err, io.EOF) {
		s.cancel()
		return sdk.Score{}, s.plugin.newFailure(KindProtocol, err, "score: it ended the call without a score", faultHint)
	}
	if err != nil {
		return sdk.Score{}, s.failStream(err)
	}
	s.cancel()
	score := convert.To[sdk.Score](r.GetScore())
	if fault := scoreFault(score); fault != "" {
		return sdk.Score{}, s.plugin.newFailure(KindProtocol, nil, "its score makes no sense: "+fault, faultHint)
	}
	return score, nil
}

// maxScoreText is the maximum size of the texts of a score, and maxScoreTexts their maximum number. Results contain all
// of them.
const (
	maxScoreText  = 1 << 20
	maxScoreTexts = 10_000
)

// scoreFault describes why a score is not valid, or returns "".
func scoreFault(s sdk.Score) string {
	var faults []string
	if s.Samples < 0 || s.Samples > maxSamples {
		faults = append(faults, fmt.Sprintf("it is of %d samples, want 0 to %d", s.Samples, maxSamples))
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
			faults = append(faults, fmt.Sprintf("it has two metrics, or one without a name, called %q", shortenText(m.Name)))
		}
		names[m.Name] = true
	}
	if n := len(s.Notes) + len(s.Metrics); size > maxScoreText || n > maxScoreTexts {
		faults = append(faults, fmt.Sprintf("its %d metrics and notes and what the official script prints have %d bytes, "+
			"want at most %d and %d", n, size, maxScoreTexts, maxScoreText))
	}
	for _, f := range s.Files {
		folder, name := path.Split(f.Name)
		if !filepath.IsLocal(f.Name) || name == "" || strings.Trim(folder, "/") == "" || path.Clean(f.Name) != f.Name {
			faults = append(faults, fmt.Sprintf("it has a file %q, want FOLDER/NAME", shortenText(f.Name)))
		}
	}
	return strings.Join(faults[:min(len(faults), maxNotedProcesses)], "; ")
}

// failStream ends the stream and explains why.
func (s *pluginScorer) failStream(err error) error {
	defer s.cancel()
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return s.plugin.callError("score", err)
}
