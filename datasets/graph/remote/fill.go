package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// blockBytes is about what one key holds: with the server's own bytes beside them it fits into 1 MiB, a size that its
// allocator has.
const blockBytes = 1<<20 - 64

// Fill copies features of all nodes to servers, which have to be as [CheckServers] wants them, and says in a file in
// the folder dir where they are. progress takes a line now and then, from any goroutine. Where it fails, what it has
// written is taken away again, if the servers still answer.
func Fill(
	ctx context.Context, dir string, servers []string, from graph.FeatureStore, progress func(line string),
) error {
	p := &place{
		Format: fileFormat, Name: rand.Text(), Servers: servers, Types: from.Types(), Width: from.Width(),
		Block: max(1, blockBytes/4/max(1, from.Width())),
	}
	if err := p.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrFeatures, err)
	}
	s, err := newStore(p)
	if err != nil {
		return err
	}
	f := filler{Store: s, from: from, progress: progress}
	err = s.eachServer(func(i int) error { return s.ping(ctx, i) })
	if err == nil {
		err = f.fillOrForget(ctx, dir)
	}
	return errors.Join(err, s.Close())
}

// ping asks a server whether it is there.
func (s *Store) ping(ctx context.Context, server int) error {
	return s.servers[server].with(ctx, func(c *conn) error {
		_, err := c.do("PING")
		return err
	})
}

// filler copies features.
type filler struct {
	*Store
	from     graph.FeatureStore
	progress func(line string)
	written  atomic.Int64 // blocks
}

// toldBlocks is after how many the caller hears of them.
const toldBlocks = 4096

func (f *filler) fillOrForget(ctx context.Context, dir string) error {
	err := f.fill(ctx)
	if err == nil {
		err = f.save(dir)
	}
	if err != nil {
		err = errors.Join(err, f.eachServer(func(i int) error { return f.forget(i) }))
	}
	return err
}

// fill fills all servers, type by type, and then marks them as full.
func (f *filler) fill(ctx context.Context) error {
	key, _ := f.marker(0)
	f.progress("keys begin with " + key)
	for t, of := range f.place.Types {
		f.progress(fmt.Sprintf("%s: %d nodes of %d features", of.Name, of.Nodes, f.place.Width))
		if err := f.eachServer(func(i int) error { return f.fillServer(ctx, i, t) }); err != nil {
			return err
		}
	}
	return f.eachServer(func(i int) error {
		key, value := f.marker(i)
		return f.servers[i].with(ctx, func(c *conn) error {
			_, err := c.do("SET", key, value)
			return err
		})
	})
}

// fillServer writes the blocks of a type that are a server's.
func (f *filler) fillServer(ctx context.Context, server, nodeType int) error {
	return f.servers[server].with(ctx, func(c *conn) error {
		for block := f.firstBlock(nodeType, server); block < f.blocks(nodeType); block += len(f.servers) {
			values, err := f.block(ctx, nodeType, block)
			if err != nil {
				return err
			}
			if err := c.store(f.key(nodeType, block), memory(values)); err != nil {
				return err
			}
			if n := f.written.Add(1); n%toldBlocks == 0 {
				f.progress(fmt.Sprintf("%d blocks of %d nodes are written", n, f.Block))
			}
		}
		return nil
	})
}

// block reads the features of a block.
func (f *filler) block(ctx context.Context, nodeType, block int) ([]float32, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	first := block * f.Block
	n := min(f.Block, f.place.Types[nodeType].Nodes-first)
	nodes := lists.Make(n, func(i int) uint32 { return uint32(first + i) })
	values := make([]float32, len(nodes)*f.place.Width)
	return values, f.from.Gather(ctx, values, nodeType, nodes)
}

// forget takes away what a server was filled with.
func (s *Store) forget(server int) error {
	return s.servers[server].with(context.Background(), func(c *conn) error {
		key, _ := s.marker(server)
		if _, err := c.do("DEL", key); err != nil {
			return err
		}
		for t := range s.place.Types {
			for block := s.firstBlock(t, server); block < s.blocks(t); block += len(s.servers) {
				if _, err := c.do("DEL", s.key(t, block)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
