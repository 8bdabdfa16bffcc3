package kitti3d

import "slices"

// matchRole is the role of an object or a detection when one class is scored.
type matchRole uint8

const (
	unseenRole matchRole = iota
	neutralRole
	countedRole
)

// classScene is the part of a frame that matters for one class.
type classScene struct {
	truth    []matchRole // roles of the objects
	found    []matchRole // roles of the detections
	scores   []float32
	overlaps []float32 // a row for each object; 0 unless above the minimum of the class
}

// sceneOf returns the objects and detections of a frame that matter for a class. A detection whose box in the picture
// is upside down is neutral for every class.
func (s *FrameScorer) sceneOf(f Frame, class int) (c classScene) {
	var boxes []Box
	for _, d := range s.found[f.Image] {
		r := unseenRole
		if d.height < -1 {
			r = neutralRole
		} else if d.class == class {
			r = countedRole
		}
		if r != unseenRole {
			boxes, c.found, c.scores = append(boxes, d.Box), append(c.found, r), append(c.scores, d.score)
		}
	}
	for _, o := range f.Objects {
		r := unseenRole
		switch {
		case o.Name == classes[class].name && o.Difficulty == 0:
			r = countedRole
		case o.Name == classes[class].name || o.Name == classes[class].neutral:
			r = neutralRole
		}
		if r == unseenRole {
			continue
		}
		c.truth = append(c.truth, r)
		for _, b := range boxes {
			v := Overlap(o.Box, b)
			if !(float64(v) > classes[class].minOverlap) { // also for NaN
				v = 0
			}
			c.overlaps = append(c.overlaps, v)
		}
	}
	return c
}

// overlapRow returns the overlaps of an object with all detections.
func (c *classScene) overlapRow(i int) []float32 { return c.overlaps[i*len(c.found):][:len(c.found)] }

// noScore is the exclusive lower limit of the scores of matching detections when recallThresholds are computed.
const noScore = -1

// appendMatched appends the scores of the detections that match objects that count. Each object takes the free
// detection with the highest score above noScore.
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
		if role == countedRole && c.found[best] == countedRole {
			scores = append(scores, c.scores[best])
		}
	}
	return scores
}

// countRight returns the numbers of right and wrong detections whose score is minScore or higher.
func (c *classScene) countRight(minScore float32) (right, wrong int) {
	taken := make([]bool, len(c.found))
	for i, role := range c.truth {
		best := c.nearestDetection(i, minScore, taken)
		if best < 0 {
			continue
		}
		taken[best] = true
		if role == countedRole && c.found[best] == countedRole {
			right++
		}
	}
	for k, role := range c.found {
		if role == countedRole && !taken[k] && c.scores[k] >= minScore {
			wrong++
		}
	}
	return right, wrong
}

// nearestDetection returns the free detection with the largest overlap with an object among those whose score is
// minScore or higher. Without one, it returns the last neutral detection, and otherwise -1.
func (c *classScene) nearestDetection(object int, minScore float32, taken []bool) int {
	best, last := -1, -1
	row := c.overlapRow(object)
	for k, v := range row {
		switch {
		case v == 0 || taken[k] || !(c.scores[k] >= minScore): // true for NaN
		case c.found[k] == neutralRole:
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

const recallSteps = 41 // recall values at which precision is computed; every fourth one counts

// averagePrecision returns the average precision of a class, 0 to 100.
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
			if role == countedRole {
				n++
			}
		}
		scores = c.appendMatched(scores)
		all = append(all, c)
	}
	var precision [recallSteps]float64
	for i, minScore := range recallThresholds(scores, n) {
		right, wrong := 0, 0
		for k := range all {
			r, w := all[k].countRight(minScore)
			right, wrong = right+r, wrong+w
		}
		precision[i] = float64(right) / float64(right+wrong)
	}
	sum := 0.0
	for i := 0; i < recallSteps; i += 4 {
		sum += slices.Max(precision[i:]) // NaN if any of them is NaN
	}
	return sum / 11 * 100
}

// recallThresholds returns the scores at which the recall of n objects reaches each of 41 steps, and the last score.
func recallThresholds(scores []float32, n int) (all []float32) {
	slices.Sort(scores)
	slices.Reverse(scores)
	for i, score := range scores {
		here, next := float64(i+1)/float64(n), float64(i+2)/float64(n)
		if i == len(scores)-1 || (here+next)/2 >= float64(len(all))/(recallSteps-1) {
			all = append(all, score)
		}
	}
	return all
}
