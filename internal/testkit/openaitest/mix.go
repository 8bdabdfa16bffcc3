package openaitest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
)

// ReadMix parses the shares of requests with faults, such as "429=5%,cut=0.01": HTTP statuses, cut (of the connection,
// within the answer), error (in the stream), stall (until the client disconnects) and empty (no token). The result is
// for Options.Fault; it depends only on the seed and the request's number.
func ReadMix(text string, seed uint64) (func(n int64) Fault, error) {
	var sum float64
	var upTo []float64
	var faults []Fault
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		number, percent := strings.CutSuffix(value, "%")
		share, err := strconv.ParseFloat(number, 64)
		if percent {
			share /= 100
		}
		if err != nil || !(share >= 0) || sum+share > 1+1e-9 {
			return nil, fmt.Errorf("%q: want NAME=SHARE, such as 429=5%%, all shares together at most 100 %%", part)
		}
		f, err := faultOf(name)
		if err != nil {
			return nil, err
		}
		sum += share
		upTo, faults = append(upTo, sum), append(faults, f)
	}
	return func(n int64) Fault {
		x := rand.New(rand.NewPCG(seed, uint64(n))).Float64()
		for i, end := range upTo {
			if x < end {
				return faults[i]
			}
		}
		return Fault{}
	}, nil
}

func faultOf(name string) (Fault, error) {
	switch name {
	case "cut":
		return Fault{Cut: true, After: 2}, nil
	case "error":
		return Fault{Error: "told to fail", After: 2}, nil
	case "stall":
		return Fault{Stall: true, After: 2}, nil
	case "empty":
		return Fault{Empty: true}, nil
	}
	status, err := strconv.Atoi(name)
	if err != nil || status < 400 || http.StatusText(status) == "" {
		return Fault{}, fmt.Errorf("%q: want a status such as 429, cut, error, stall or empty", name)
	}
	return Fault{Status: status}, nil
}
