package serve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// openSets opens the parts of a workload on each of the devices, or on the backend's choice if devices is empty.
func (s *sessionSource) openSets(ctx context.Context, parts []sdk.Part, c backend.Config,
	devices []string) (*pool.PartSets, error) {
	if len(devices) == 0 {
		devices = []string{""}
	}
	return pool.OpenPartSets(ctx, c, devices, func(ctx context.Context, c backend.Config) (*pool.PartSet, error) {
		set := &pool.PartSet{}
		for _, p := range parts {
			session, own, err := s.openPart(ctx, parts, p, c)
			if err != nil {
				return nil, errors.Join(err, set.Close())
			}
			if session != nil {
				set.Add(p.Name, session, own.Concurrency)
			}
		}
		return set, nil
	})
}

// openPart opens one part, unless it is omitted, and returns its configuration.
func (s *sessionSource) openPart(
	ctx context.Context, parts []sdk.Part, p sdk.Part, c backend.Config,
) (backend.Session, backend.Config, error) {
	c = partConfig(parts, p, c)
	if p.LeftOut() {
		return nil, c, nil
	}
	session, err := s.openOnDevice(ctx, p.Model, c)
	return session, c, addPartNames(parts, c, err)
}

// partConfig returns the configuration of a part. c is the configuration of a workload with only this part. The batches
// in progress limit the concurrent runs of the parts, because each batch is in one part at a time. A part is therefore
// opened for all batches, unless few of the samples use it.
func partConfig(parts []sdk.Part, p sdk.Part, c backend.Config) backend.Config {
	c.Part, c.Options = p.Name, partOptions(parts, p.Name, c.Options)
	if p.MaxBatch > 0 {
		c.MaxBatch = p.MaxBatch
	}
	if p.RunsPerSample > 0 && p.RunsPerSample < 1 && c.Concurrency > 0 {
		c.Concurrency = max(1, int(math.Ceil(float64(c.Concurrency)*p.RunsPerSample)))
	}
	return c
}

// partOptions returns the options for a part: those for all parts, overridden by those of the form PART.KEY.
func partOptions(parts []sdk.Part, name string, all map[string]string) map[string]string {
	own := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if partOf(parts, key) == "" {
			own[key] = all[key]
		}
	}
	for key, value := range all {
		if name != "" && partOf(parts, key) == name {
			own[key[len(name)+1:]] = value
		}
	}
	return own
}

// partOf returns the part to which an option belongs, or "" if it is for all parts.
func partOf(parts []sdk.Part, key string) string {
	name, _, ok := strings.Cut(key, ".")
	if ok && slices.ContainsFunc(parts, func(p sdk.Part) bool { return p.Name == name }) {
		return name
	}
	return ""
}

// addPartNames adds the names of the parts to an error about options if a key may have been meant for a part.
func addPartNames(parts []sdk.Part, c backend.Config, err error) error {
	if err == nil || !errors.Is(err, backend.ErrOption) || len(parts) == 1 {
		return err
	}
	for key := range c.Options {
		if name, _, ok := strings.Cut(key, "."); ok && !slices.Contains(reservedPrefixes(), name) {
			return fmt.Errorf("%w; the parts of this model, for options of the form PART.KEY, are %s", err,
				strings.Join(partNames(parts), ", "))
		}
	}
	return err
}

func partNames(parts []sdk.Part) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return names
}
