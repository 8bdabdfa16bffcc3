package rgat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/plugins/rgat/internal/remote"
	"github.com/plumbline-ml/plumbline/sdk"
)

// storeFeatures copies the features of a data set to servers.
func storeFeatures(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (done string, err error) {
	servers := strings.Split(r.Params["servers"], ",")
	if err := remote.CheckServers(servers); err != nil {
		return "", sdk.Usage(fmt.Errorf("parameter servers: %w", err))
	}
	features, err := igbh.OpenFeatures(r.Input, r.Params["size"])
	if err != nil {
		return "", sdk.Data(err)
	}
	err = remote.FillServers(ctx, r.Output, servers, features, progress)
	if err := errors.Join(err, features.Close()); err != nil {
		return "", sdk.Data(err)
	}
	n := countFeatureNodes(features)
	return fmt.Sprintf("the features of %d nodes, %.1f MB, are at %d servers: run with --param features=OUT", n,
		float64(n)*float64(4*features.Width())/1e6, len(servers)), nil
}

func countFeatureNodes(f graph.FeatureStore) (n int) {
	for _, t := range f.Types() {
		n += t.Nodes
	}
	return n
}
