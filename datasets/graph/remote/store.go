package remote

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"unsafe"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

var _ graph.FeatureStore = (*Store)(nil)

// Store gathers features from servers. It may be used from many goroutines.
type Store struct {
	place
	servers []*server
}

// Open reads which servers have features from the file in the folder dir, and asks each whether it has them. Every
// server that has not is named. The caller closes the store.
func Open(ctx context.Context, dir string) (*Store, error) {
	p, err := readPlace(dir)
	if err != nil {
		return nil, err
	}
	s, err := newStore(p)
	if err != nil {
		return nil, err
	}
	if err := s.eachServer(func(i int) error { return s.checkServer(ctx, i) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func newStore(p *place) (*Store, error) {
	s := &Store{place: *p}
	for _, address := range p.Servers {
		server, err := newServer(address)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFeatures, err)
		}
		s.servers = append(s.servers, server)
	}
	return s, nil
}

// eachServer calls do for all servers at once.
func (s *Store) eachServer(do func(i int) error) error {
	faults := make([]error, len(s.servers))
	var working sync.WaitGroup
	for i := range s.servers {
		working.Go(func() { faults[i] = do(i) })
	}
	working.Wait()
	return errors.Join(faults...)
}

func (s *Store) checkServer(ctx context.Context, i int) error {
	key, want := s.marker(i)
	return s.servers[i].with(ctx, func(c *conn) error {
		got, err := c.do("GET", key)
		switch {
		case errors.Is(err, errNone):
			return fmt.Errorf("it has no features named %s: was it filled, and has it kept its memory since?", s.Name)
		case err == nil && got != want:
			return fmt.Errorf("it is %s of these features, and the file says %s", got, want)
		}
		return err
	})
}

// Types are the node types, with their numbers of nodes.
func (s *Store) Types() []graph.NodeType { return s.place.Types }

// Width is the number of features of a node.
func (s *Store) Width() int { return s.place.Width }

// Gather reads features of nodes of a type, from all servers at once.
func (s *Store) Gather(ctx context.Context, dst []float32, nodeType int, nodes []uint32) error {
	if nodeType < 0 || nodeType >= len(s.place.Types) || len(dst) != len(nodes)*s.place.Width {
		return fmt.Errorf("%w: %d nodes of type %d into room for %d values", ErrFeatures, len(nodes), nodeType, len(dst))
	}
	asked := make([][]int, len(s.servers))
	for i, v := range nodes {
		if t := s.place.Types[nodeType]; int64(v) >= int64(t.Nodes) {
			return fmt.Errorf("%w: node %d at position %d, and there are %d of type %s", ErrFeatures, v, i, t.Nodes, t.Name)
		}
		at := s.serverOf(nodeType, int(v)/s.Block)
		asked[at] = append(asked[at], i)
	}
	return s.eachServer(func(at int) error {
		if len(asked[at]) == 0 {
			return nil
		}
		return s.servers[at].with(ctx, func(c *conn) error {
			return s.fetch(ctx, c, dst, nodeType, nodes, asked[at])
		})
	})
}

// window is how many rows are asked for before they are read.
const window = 1024

// fetch reads the rows of the nodes at the positions asked.
func (s *Store) fetch(
	ctx context.Context, c *conn, dst []float32, nodeType int, nodes []uint32, asked []int,
) error {
	for len(asked) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		some := asked[:min(window, len(asked))]
		asked = asked[len(some):]
		for _, i := range some {
			s.ask(c, nodeType, int(nodes[i]))
		}
		if err := c.flush(); err != nil {
			return err
		}
		for _, i := range some {
			if err := s.receive(c, dst[i*s.place.Width:][:s.place.Width]); err != nil {
				return fmt.Errorf("node %d of type %s: %w", nodes[i], s.place.Types[nodeType].Name, err)
			}
		}
	}
	return nil
}

func (s *Store) ask(c *conn, nodeType, node int) {
	row := 4 * s.place.Width
	first := node % s.Block * row
	c.send("GETRANGE", s.key(nodeType, node/s.Block), strconv.Itoa(first), strconv.Itoa(first+row-1))
}

func (s *Store) receive(c *conn, row []float32) error {
	want := memory(row)
	got, err := c.reply(want)
	if err == nil && got < len(want) {
		err = fmt.Errorf("it has %d of %d bytes: has it lost its memory since it was filled?", got, len(want))
	}
	return err
}

// memory is that of values.
func memory(values []float32) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 4*len(values))
}

// Close closes the connections.
func (s *Store) Close() error {
	return errors.Join(lists.Map(s.servers, (*server).close)...)
}
