package coco

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// evaluateCategories returns the curves of each category, by rank. It distributes the categories over the processors.
func (s *DetectionScorer) evaluateCategories() []categoryCurves {
	all := make([]categoryCurves, len(s.names))
	grouped := s.groupByCategory()
	evaluated := s.evaluatedImages()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		workers.Go(func() {
			w := categoryWorker{evaluated: evaluated}
			for k := int(next.Add(1)) - 1; k < len(all); k = int(next.Add(1)) - 1 {
				all[k] = w.evaluateCategory(grouped[k], s.truths[s.starts[k]:s.starts[k+1]])
			}
		})
	}
	workers.Wait()
	return all
}

// evaluatedImages reports for each image, by rank, whether the log contains it.
func (s *DetectionScorer) evaluatedImages() []bool {
	in := make([]bool, len(s.spans))
	for i, seen := range s.seen {
		if seen {
			in[s.samples[i].rank] = true
		}
	}
	return in
}

// categoryGroup contains the detections of one category, ordered by rank of the image and then by position in the log.
type categoryGroup struct {
	detections []detection
	ranks      []int32 // of the images
}

func (s *DetectionScorer) groupByCategory() []categoryGroup {
	counts := make([]int, len(s.names)+1)
	for i := range s.detections {
		counts[s.detections[i].category+1]++
	}
	for k := 1; k < len(counts); k++ {
		counts[k] += counts[k-1]
	}
	sorted, ranks := make([]detection, len(s.detections)), make([]int32, len(s.detections))
	ends := slices.Clone(counts)
	for rank, part := range s.spans {
		for _, d := range s.detections[part.start:part.end] {
			i := ends[d.category]
			ends[d.category]++
			sorted[i], ranks[i] = d, int32(rank)
		}
	}
	groups := make([]categoryGroup, len(s.names))
	for k := range groups {
		groups[k] = categoryGroup{sorted[counts[k]:counts[k+1]], ranks[counts[k]:counts[k+1]]}
	}
	return groups
}

// categoryWorker evaluates categories one after another. It reuses its slices.
type categoryWorker struct {
	evaluated   []bool // images by rank
	matcher     boxMatcher
	scored      []scoredDetection
	truthCounts [areas]int // number of truths that count in the evaluated images
	points      []float64
}

// scoredDetection is a detection of a category after matching.
type scoredDetection struct {
	key      uint64 // sorts by descending score, then by image, then by position
	position int    // position by score among the detections of the image
	matchOutcome
}

func (w *categoryWorker) evaluateCategory(g categoryGroup, truths []trueBox) categoryCurves {
	w.scored, w.truthCounts = w.scored[:0], [areas]int{}
	for len(g.ranks) > 0 || len(truths) > 0 {
		rank := nextRank(g.ranks, truths)
		detections, found := countLeading(g.ranks, rank), 0
		for found < len(truths) && truths[found].rank == rank {
			found++
		}
		if w.evaluated[rank] {
			w.evaluateImage(g.detections[:detections], truths[:found])
		}
		g.detections, g.ranks, truths = g.detections[detections:], g.ranks[detections:], truths[found:]
	}
	slices.SortFunc(w.scored, func(a, b scoredDetection) int {
		if a.key < b.key {
			return -1
		}
		return 1
	})
	return w.buildCurves()
}

// nextRank returns the lower of the two lists' first ranks. One of the lists may be empty.
func nextRank(ranks []int32, truths []trueBox) int32 {
	rank := int32(math.MaxInt32)
	if len(ranks) > 0 {
		rank = ranks[0]
	}
	if len(truths) > 0 {
		rank = min(rank, truths[0].rank)
	}
	return rank
}

// countLeading returns how often rank occurs at the beginning of ranks.
func countLeading(ranks []int32, rank int32) int {
	n := 0
	for n < len(ranks) && ranks[n] == rank {
		n++
	}
	return n
}

func (w *categoryWorker) evaluateImage(detections []detection, truths []trueBox) {
	for i := range truths {
		for area := range areas {
			if truths[i].countsIn(area) {
				w.truthCounts[area]++
			}
		}
	}
	m := &w.matcher
	m.matchImage(detections, truths)
	for place, o := range m.outcomes {
		// The upper half of the matcher's key is the score. The lower half becomes the position within the category instead
		// of the image.
		w.scored = append(w.scored, scoredDetection{m.order[place]&^math.MaxUint32 | uint64(len(w.scored)), place, o})
	}
}
