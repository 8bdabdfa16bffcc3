package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

type scoreStream = grpc.BidiStreamingServer[pluginpb.ScoreRequest, pluginpb.ScoreResponse]

// Score passes the entries of an accuracy log to the benchmark's scorer.
func (s *pluginService) Score(stream scoreStream) error {
	err := s.scoreStream(stream)
	printStack(err)
	return toStatus(err, codes.FailedPrecondition)
}

func (s *pluginService) scoreStream(stream scoreStream) (err error) {
	defer batch.RecoverPanic(&err, func() string { return "the scorer" })
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	parts := &scorerParts{pluginService: s}
	defer func() { err = errors.Join(err, parts.close()) }()
	scorer, err := s.openScorer(stream.Context(), first, parts)
	if err != nil {
		return err
	}
	if c, ok := scorer.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	if err := stream.Send(&pluginpb.ScoreResponse{}); err != nil {
		return err
	}
	if err := addEntries(scorer, stream); err != nil {
		return err
	}
	score, err := scorer.Result()
	if err != nil {
		return err
	}
	score.Parts = parts.reports
	return stream.Send(&pluginpb.ScoreResponse{Score: convert.To[*pluginpb.Score](score)})
}

func (s *pluginService) openScorer(
	ctx context.Context, r *pluginpb.ScoreRequest, parts *scorerParts,
) (sc sdk.Scorer, err error) {
	defer batch.RecoverPanic(&err, func() string { return "OpenScorer" })
	o := convert.To[sdk.ScoreOptions](r.GetOptions())
	parts.model, _ = s.description.Model(o.Model) // the benchmark reports an invalid name
	parts.files, o.OpenPart = o.PartFiles, parts.openPart
	return s.benchmark.OpenScorer(ctx, o)
}

// addEntries adds entries while the next ones are received, because adding a large payload takes long.
func addEntries(scorer sdk.Scorer, stream scoreStream) error {
	frames := make(chan []*pluginpb.AccuracyEntry)
	received := make(chan error, 1)
	go func() { // ends with the stream
		received <- receiveEntries(stream, frames)
		close(frames)
	}()
	for frame := range frames {
		for _, e := range frame {
			if err := scorer.Add(convert.EntryOf(e)); err != nil {
				return fmt.Errorf("accuracy log, seq_id %d, sample %d: %w", e.GetSeqId(), e.GetQslIndex(), err)
			}
		}
	}
	return <-received
}

// receiveEntries passes on the entries of the stream. It joins entries that come in pieces.
func receiveEntries(stream scoreStream, frames chan<- []*pluginpb.AccuracyEntry) error {
	var j entryJoiner
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case frames <- j.joinPieces(r.GetEntries()):
		case <-stream.Context().Done():
			return context.Cause(stream.Context())
		}
	}
}

// entryJoiner joins the pieces of entries.
type entryJoiner struct {
	first  *pluginpb.AccuracyEntry // the first of the received pieces
	pieces [][]byte
}

// joinPieces returns the entries that end in a frame. It uses the frame's memory.
func (j *entryJoiner) joinPieces(frame []*pluginpb.AccuracyEntry) []*pluginpb.AccuracyEntry {
	whole := frame[:0]
	for _, e := range frame {
		if j.first == nil && !e.GetMore() {
			whole = append(whole, e)
			continue
		}
		if j.first == nil {
			j.first = e
		}
		j.pieces = append(j.pieces, e.GetData())
		if !e.GetMore() {
			j.first.Data = slices.Concat(j.pieces...)
			whole = append(whole, j.first)
			clear(j.pieces)
			j.first, j.pieces = nil, j.pieces[:0]
		}
	}
	return whole
}
