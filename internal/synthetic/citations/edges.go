package citations

import (
	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// edgeRule describes the edges of a relation.
type edgeRule struct {
	name               string
	source             int // node types
	destination        int
	minEdges, maxEdges int // minimum and maximum number of edges of a source
	sameClassPercent   int // percentage of edges that lead to a node of the source's class; the others lead to any node
}

// rules returns the rules of the stored relations.
func rules() map[int]edgeRule {
	return map[int]edgeRule{
		igbh.Affiliated: {"author__affiliated_to__institute", igbh.Author, igbh.Institute, 1, 1, 48},
		igbh.Cites:      {"paper__cites__paper", igbh.Paper, igbh.Paper, 1, 7, 60},
		igbh.Published:  {"paper__published__journal", igbh.Paper, igbh.Journal, 0, 1, 36},
		igbh.Topic:      {"paper__topic__fos", igbh.Paper, igbh.FieldOfStudy, 1, 3, 48},
		igbh.Venue:      {"paper__venue__conference", igbh.Paper, igbh.Conference, 0, 1, 36},
		igbh.Written:    {"paper__written_by__author", igbh.Paper, igbh.Author, 1, 3, 48},
	}
}

// Edges draws the edges of all relations.
func (s *Set) Edges() (all igbh.StoredEdges) {
	for relation, r := range rules() {
		all[relation] = graph.EdgePairs{ListName: r.name, Values: s.drawEdges(uint64(relation), r)}
	}
	return all
}

func (s *Set) drawEdges(relation uint64, rule edgeRule) []int64 {
	var pairs []int64
	for source, class := range s.classes[rule.source] {
		r := draw.NewRandom(s.seed, drawEdgeKeys, relation, uint64(source))
		for range r.IntBetween(rule.minEdges, rule.maxEdges) {
			pairs = append(pairs, int64(source), int64(s.drawDestination(r, rule, class)))
		}
	}
	return pairs
}

// drawDestination draws the end of an edge from a node of a class.
func (s *Set) drawDestination(r *draw.Random, rule edgeRule, class uint8) int {
	if !r.Chance(rule.sameClassPercent) {
		return r.IntBelow(len(s.classes[rule.destination]))
	}
	alike := s.members[rule.destination][class]
	return int(alike[r.IntBelow(len(alike))])
}
