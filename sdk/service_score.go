package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/plumbline-ml/plumbline/sdk/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

type scoreStream = grpc.BidiStreamingServer[pluginpb.ScoreRequest, pluginpb.ScoreResponse]

// Score feeds the entries of an accuracy log to the benchmark's scorer.
func (s *service) Score(stream scoreStream) error {
	err := s.score(stream)
	printStack(err)
	return toStatus(err, codes.FailedPrecondition)
}

func (s *service) score(stream scoreStream) (err error) {
	defer batch.Recover(&err, func() string { return "the scorer" })
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	scorer, err := s.openScorer(stream.Context(), first)
	if err != nil {
		return err
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
	return stream.Send(&pluginpb.ScoreResponse{Score: protoScore(score)})
}

func (s *service) openScorer(ctx context.Context, r *pluginpb.ScoreRequest) (sc Scorer, err error) {
	defer batch.Recover(&err, func() string { return "OpenScorer" })
	return s.benchmark.OpenScorer(ctx, scoreOptionsFrom(r.GetOptions()))
}

func addEntries(scorer Scorer, stream scoreStream) error {
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range r.GetEntries() {
			if err := scorer.Add(entryFrom(e)); err != nil {
				return fmt.Errorf("accuracy entry of sample %d: %w", e.GetQslIndex(), err)
			}
		}
	}
}
