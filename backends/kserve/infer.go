package kserve

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/grpc"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Run sends one batch to the endpoint with the fewest batches in progress. If that endpoint is lost before it answers
// and option lost permits it, the batch goes to another one.
func (s *kserveSession) Run(ctx context.Context, in, out []backend.Tensor) error {
	return shortenError(s.runBatch(ctx, in, out))
}

func (s *kserveSession) runBatch(ctx context.Context, in, out []backend.Tensor) error {
	if err := backend.CheckTensors("input", s.inputInfos, in); err != nil {
		return err
	}
	request := s.makeRequest(in)
	for {
		e, err := s.pickEndpoint()
		if err != nil {
			return err
		}
		response, err := s.sendInfer(ctx, e, request)
		if err == nil {
			if err = s.readOutputs(response, out); err != nil {
				return fmt.Errorf("endpoint %s: %w", e.url, err)
			}
			e.done.Add(1)
			e.samples.Add(uint64(backend.Rows(in)))
			return nil
		}
		if end := contextEnded(ctx); end != nil {
			return end
		}
		if !isConnError(err) {
			return fmt.Errorf("endpoint %s: %w", e.url, explainError(err))
		}
		e.markLost(err)
		if !s.settings.continues {
			return fmt.Errorf("endpoint %s is lost: %w (option lost=go-on goes on with the others)", e.url, explainError(err))
		}
	}
}

// contextEnded returns an error if ctx has ended. The server and gRPC use the same time limit and may report its end
// before ctx's own timer expires.
func contextEnded(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return cmp.Or(ctx.Err(), context.DeadlineExceeded)
	}
	return ctx.Err()
}

// sendInfer sends a request to an endpoint and then releases its place there. Each attempt has its own request id.
func (s *kserveSession) sendInfer(ctx context.Context, e *serverEndpoint,
	r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	defer e.outstanding.Add(-1)
	defer backend.StartWait(ctx, backend.WaitInfo{For: "an answer of " + e.url}).End()
	ctx, cancel := s.callContext(ctx)
	defer cancel()
	r.Id = strconv.FormatUint(s.lastID.Add(1), 10)
	if e.streams {
		return s.inferOverStream(ctx, e, r)
	}
	response, err := e.rpc.ModelInfer(ctx, r, grpc.WaitForReady(false), grpc.MaxCallRecvMsgSize(maxAnswerBytes))
	if err != nil {
		return nil, err
	}
	if response.Id != "" && response.Id != r.Id { // servers need not repeat the id here
		return nil, fmt.Errorf("%w: %q, want %q", errUnrequested, response.Id, r.Id)
	}
	return response, nil
}

func (s *kserveSession) inferOverStream(ctx context.Context, e *serverEndpoint,
	r *oip.ModelInferRequest) (*oip.ModelInferResponse, error) {
	t, err := s.stream(ctx, e)
	if err != nil {
		return nil, err
	}
	return t.askServer(ctx, r)
}
