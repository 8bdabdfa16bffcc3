package serve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

type datasetStream = grpc.ServerStreamingServer[pluginpb.DatasetResponse]

// worksOnDatasets reports whether a benchmark offers work outside runs.
func worksOnDatasets(b sdk.Benchmark) bool {
	_, able := b.(sdk.DatasetWorker)
	offers := func(m sdk.ModelInfo) bool { return len(m.DatasetActions) > 0 }
	return able && slices.ContainsFunc(b.Describe().Models, offers)
}

// Dataset lets the benchmark work on a data set, and forwards its progress reports.
func (s *pluginService) Dataset(r *pluginpb.DatasetRequest, stream datasetStream) error {
	var mu sync.Mutex // gRPC allows one Send at a time
	progress := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		// If the stream has ended, the work has ended too.
		_ = stream.Send(&pluginpb.DatasetResponse{Progress: sanitizeText(line)})
	}
	done, err := s.workOnDataset(stream.Context(), convert.To[sdk.DatasetRequest](r), progress)
	if err != nil {
		printStack(err)
		return toStatus(err, codes.Unknown)
	}
	mu.Lock()
	defer mu.Unlock()
	return stream.Send(&pluginpb.DatasetResponse{Done: strings.ToValidUTF8(cmp.Or(done, "done"), "\uFFFD")})
}

func (s *pluginService) workOnDataset(
	ctx context.Context, r sdk.DatasetRequest, progress func(string),
) (done string, err error) {
	defer batch.RecoverPanic(&err, func() string { return "WorkOnDataset" })
	worker, able := s.benchmark.(sdk.DatasetWorker)
	if !able {
		return "", sdk.Usage(fmt.Errorf("%s does no work on data sets apart from runs", s.description.Name))
	}
	m, err := s.description.Model(r.Model)
	if err != nil {
		return "", err
	}
	r.Model = m.Name
	if r, err = r.Complete(m); err != nil {
		return "", err
	}
	return worker.WorkOnDataset(ctx, r, progress)
}
