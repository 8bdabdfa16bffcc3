package kitti3d

import "slices"

// matchRole is what becomes of an object or a detection where one class is scored.
type matchRole uint8

const (
	unseen matchRole = iota
	neutral
	counts
)

// classScene is a frame as one class sees it.
type classScene struct {
	truth    []matchRole // of those that are seen
	found    []matchRole
	scores   []float32
	overlaps []float32 // above the class's, else 0: a row for each of truth
}

// sceneOf returns a frame as one class sees it, without what the class does not see. A detection whose box in the
// picture is upside down is neutral, whatever its class.
func (s *FrameScorer) sceneOf(f Frame, class int) (c classScene) {
	var boxes []Box
	for _, d := range s.found[f.Image] {
		r := unseen
		if d.height < -1 {
			r = neutral
		} else if d.class == class {
			r = counts
		}
		if r != unseen {
			boxes, c.found, c.scores = append(boxes, d.Box), append(c.found, r), append(c.scores, d.score)
		}
	}
	for _, o := range f.Objects {
		r := unseen
		switch {
		case o.Name == classes[class].name && o.Difficulty == 0:
			r = counts
		case o.Name == classes[class].name || o.Name == classes[class].neutral:
			r = neutral
		}
		if r == unseen {
			continue
		}
		c.truth = append(c.truth, r)
		for _, b := range boxes {
			v := Overlap(o.Box, b)
			if !(float64(v) > classes[class].overlap) { // NaN, too
				v = 0
			}
			c.overlaps = append(c.overlaps, v)
		}
	}
	return c
}

// overlapRow are the overlaps of an object with all detections.
func (c *classScene) overlapRow(i int) []float32 { return c.overlaps[i*len(c.found):][:len(c.found)] }

// noScore is a score that a detection must exceed to find anything, where it is known only by its score.
const noScore = -1

// appendMatched appends the scores of the detections that find what counts: each object takes the best that is free and
// above noScore.
func (c *classScene) appendMatched(scores []float32) []float32 {
	taken := make([]bool, len(c.found))
	for i, role := range c.truth {
		best, score := -1, float32(noScore)
		for k, v := range c.overlapRow(i) {
			if v > 0 && !taken[k] && c.scores[k] > score { // false for NaN
				best, score = k, c.scores[k]
			}
		}
		if best < 0 {
			continue
		}
		taken[best] = true
		if role == counts && c.found[best] == counts {
			scores = append(scores, c.scores[best])
		}
	}
	return scores
}

// countRight returns how many detections of at least a score are right, and how many are wrong.
func (c *classScene) countRight(minScore float32) (right, wrong int) {
	taken := make([]bool, len(c.found))
	for i, role := range c.truth {
		best := c.nearestDetection(i, minScore, taken)
		if best < 0 {
			continue
		}
		taken[best] = true
		if role == counts && c.found[best] == counts {
			right++
		}
	}
	for k, role := range c.found {
		if role == counts && !taken[k] && c.scores[k] >= minScore {
			wrong++
		}
	}
	return right, wrong
}

// nearestDetection is the free detection of at least a score that overlaps an object most; where there is none, the
// last one that is neutral; -1 without either.
func (c *classScene) nearestDetection(object int, minScore float32, taken []bool) int {
	best, last := -1, -1
	row := c.overlapRow(object)
	for k, v := range row {
		switch {
		case v == 0 || taken[k] || !(c.scores[k] >= minScore): // NaN is not
		case c.found[k] == neutral:
			last = k
		case best < 0 || v > row[best]:
			best = k
		}
	}
	if best < 0 {
		return last
	}
	return best
}

const recalls = 41 // at which precision is looked at, every fourth of which counts

// averagePrecision is the average precision of a class, 0 to 100.
func (s *FrameScorer) averagePrecision(class int) float64 {
	var all []classScene
	var scores []float32
	n := 0
	for _, f := range s.frames {
		c := s.sceneOf(f, class)
		if len(c.truth)+len(c.found) == 0 {
			continue
		}
		for _, role := range c.truth {
			if role == counts {
				n++
			}
		}
		scores = c.appendMatched(scores)
		all = append(all, c)
	}
	var precision [recalls]float64
	for i, minScore := range recallThresholds(scores, n) {
		right, wrong := 0, 0
		for k := range all {
			r, w := all[k].countRight(minScore)
			right, wrong = right+r, wrong+w
		}
		precision[i] = float64(right) / float64(right+wrong)
	}
	sum := 0.0
	for i := 0; i < recalls; i += 4 {
		sum += slices.Max(precision[i:]) // NaN if any is
	}
	return sum / 11 * 100
}

// recallThresholds are the scores at which recall passes each of 41 steps, of n objects, and the last.
func recallThresholds(scores []float32, n int) (all []float32) {
	slices.Sort(scores)
	slices.Reverse(scores)
	for i, score := range scores {
		here, next := float64(i+1)/float64(n), float64(i+2)/float64(n)
		if i == len(scores)-1 || (here+next)/2 >= float64(len(all))/(recalls-1) {
			all = append(all, score)
		}
	}
	return all
}
