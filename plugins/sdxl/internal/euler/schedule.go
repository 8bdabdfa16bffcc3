package euler

import (
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/half"
)

// Schedule contains the N steps from noise to a picture. It is read-only and may be used from many goroutines.
type Schedule struct {
	timesteps    []float32 // N
	sigmas       []float32 // N+1
	initialScale float32
	velocity     bool // the network predicts v instead of the noise
	format       half.Format
}

// NewSchedule returns the schedule of the given number of steps, from 1 to TrainTimesteps.
func (c SchedulerConfig) NewSchedule(steps int) (*Schedule, error) {
	if steps < 1 || steps > c.TrainTimesteps {
		return nil, fmt.Errorf("%d denoising steps, want 1 to %d (num_train_timesteps)", steps, c.TrainTimesteps)
	}
	table := c.trainedSigmas()
	timesteps := c.spacedTimesteps(steps)
	sigmas := make([]float64, steps, steps+1)
	for i, t := range timesteps {
		sigmas[i] = interpolate(table, t)
	}
	if c.Karras {
		sigmas = karrasSigmas(sigmas[0], sigmas[steps-1], steps)
		for i, s := range sigmas {
			timesteps[i] = findTimestep(table, s)
		}
	}
	last := 0.0
	if c.FinalSigmas == "sigma_min" {
		last = table[0]
	}
	s := &Schedule{velocity: c.PredictionType == "v_prediction"}
	for i, sigma := range append(sigmas, last) {
		if s.sigmas = append(s.sigmas, float32(sigma)); i < steps {
			s.timesteps = append(s.timesteps, float32(timesteps[i]))
		}
	}
	s.initialScale = slices.Max(s.sigmas)
	if c.TimestepSpacing == "leading" {
		s.initialScale = float32(math.Sqrt(float64(float32(s.initialScale*s.initialScale) + 1)))
	}
	return s, nil
}

// trainedSigmas returns the noise level of each training timestep. The arithmetic is float32, except the running
// product, which PyTorch keeps in float64 and rounds for each value.
func (c SchedulerConfig) trainedSigmas() []float64 {
	from, to := float32(c.BetaStart), float32(c.BetaEnd)
	scaled := c.BetaSchedule == "scaled_linear"
	if scaled {
		from, to = float32(math.Sqrt(c.BetaStart)), float32(math.Sqrt(c.BetaEnd))
	}
	table := make([]float64, c.TrainTimesteps)
	product := 1.0
	for i, beta := range linspace(from, to, c.TrainTimesteps) {
		if scaled {
			beta *= beta
		}
		product *= float64(1 - beta)
		kept := float32(product)
		table[i] = float64(float32(math.Sqrt(float64((1 - kept) / kept))))
	}
	return table
}

// linspace computes torch.linspace: the first half forwards from the start, the second half backwards from the end.
func linspace(from, to float32, n int) []float32 {
	v := make([]float32, n)
	step := (to - from) / float32(n-1)
	for i := range v {
		if i < n/2 {
			v[i] = from + float32(step*float32(i))
		} else {
			v[i] = to - float32(step*float32(n-1-i))
		}
	}
	return v
}

// spacedTimesteps returns the training timesteps of the steps, noisiest first.
func (c SchedulerConfig) spacedTimesteps(steps int) []float64 {
	t := make([]float64, steps)
	n, train := float64(steps), float64(c.TrainTimesteps)
	for i := range t {
		switch back := float64(steps - 1 - i); c.TimestepSpacing {
		case "leading":
			t[i] = math.Floor(train/n)*back + float64(c.StepsOffset)
		case "trailing":
			t[i] = math.RoundToEven(train-float64(i)*(train/n)) - 1
		default:
			t[i] = 0
			if steps > 1 {
				t[i] = float64(float32(back * ((train - 1) / (n - 1))))
			}
		}
	}
	return t
}

// interpolate returns the table's value at a fractional index. Beyond the end, it returns the last value.
func interpolate(table []float64, index float64) float64 {
	i := int(index)
	if i >= len(table)-1 {
		return table[len(table)-1]
	}
	return table[i] + float64((table[i+1]-table[i])*(index-float64(i)))
}

// karrasSigmas returns noise levels whose seventh roots are evenly spaced (Karras and others, 2022, equation 5).
func karrasSigmas(maxSigma, minSigma float64, steps int) []float64 {
	const rho = 7
	from, to := math.Pow(maxSigma, 1.0/rho), math.Pow(minSigma, 1.0/rho)
	sigmas := make([]float64, steps)
	for i := range sigmas {
		ramp := 0.0
		if steps > 1 {
			ramp = float64(i) / float64(steps-1)
		}
		sigmas[i] = math.Pow(from+float64(ramp*(to-from)), rho)
	}
	return sigmas
}

// findTimestep returns the fractional index of a noise level in the table, interpolated between logarithms.
func findTimestep(table []float64, sigma float64) float64 {
	low, _ := slices.BinarySearchFunc(table, sigma, func(s, sigma float64) int {
		if s <= sigma {
			return -1
		}
		return 1
	})
	low = min(max(low-1, 0), len(table)-2)
	below, above := math.Log(table[low]), math.Log(table[low+1])
	share := (below - math.Log(max(sigma, 1e-10))) / (below - above)
	return float64(low) + min(max(share, 0), 1)
}

// Len returns the number of steps.
func (s *Schedule) Len() int { return len(s.timesteps) }

// Timestep returns the network's time input for a step; steps start at 0.
func (s *Schedule) Timestep(step int) float32 { return s.timesteps[step] }

// InFormat returns the schedule for a network with numbers of format f. As in the reference, the network's input is
// rounded to f, the rest of a step is computed in float32, and x is rounded after each step.
func (s *Schedule) InFormat(f half.Format) *Schedule {
	other := *s
	other.format = f
	return &other
}

// ScaleNoise scales normal noise, in place, to the start of the first step.
func (s *Schedule) ScaleNoise(x []float32) {
	for i, v := range x {
		x[i] = s.format.Round(s.format.Round(v) * s.initialScale)
	}
}

// ScaleInput writes the network's input for x at a step to dst.
func (s *Schedule) ScaleInput(dst, x []float32, step int) {
	scale := s.noiseScale(step)
	for i, v := range x[:len(dst)] {
		dst[i] = v / scale
	}
	s.format.RoundAll(dst)
}

// noiseScale returns the standard deviation of a picture with the noise of a step.
func (s *Schedule) noiseScale(step int) float32 {
	return float32(math.Sqrt(float64(float32(s.sigmas[step]*s.sigmas[step]) + 1)))
}

// Step performs a step on x, in place, with the network's prediction. It also overwrites predicted.
func (s *Schedule) Step(x, predicted []float32, step int) {
	sigma, change := s.sigmas[step], s.sigmas[step+1]-s.sigmas[step]
	predicted = predicted[:len(x)]
	factor := sigma
	if s.velocity {
		factor = -sigma / s.noiseScale(step)
	}
	for i := range predicted {
		predicted[i] *= factor
	}
	s.format.RoundAll(predicted)
	if s.velocity {
		ofX := float32(sigma*sigma) + 1
		for i, v := range x {
			clean := predicted[i] + v/ofX
			x[i] = v + float32((v-clean)/sigma*change)
		}
	} else {
		for i, v := range x {
			clean := v - predicted[i]
			x[i] = v + float32((v-clean)/sigma*change)
		}
	}
	s.format.RoundAll(x)
}
