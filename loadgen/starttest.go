package loadgen

import "context"

// StartTest runs one test and returns when every issued sample is answered and the logs are written.
//
// Bad settings and a SUT that breaks the contract give an error; an INVALID run does not, nor does one that
// LogSettings.AbortEarly ended: its Result says why.
// When ctx ends, issuing stops, and outstanding samples are awaited for a short grace, unless the cause is other than
// context.Canceled, context.DeadlineExceeded or ErrInterrupted: then the SUT is taken to have failed. What was measured
// is logged, marked as aborted, and returned beside the error (context.Cause of ctx is wrapped). Calls into the SUT or
// the QSL that do not return within seconds after the end of ctx are abandoned.
func StartTest(ctx context.Context, sut SUT, qsl QSL, s TestSettings, l LogSettings) (*Result, error) {
	t, err := newTest(sut, qsl, s, l)
	if err != nil {
		return nil, err
	}
	return t.runTest(ctx)
}

// CheckTest reports everything that StartTest would refuse before it issues or writes anything. The effective settings
// are those that the test would run with; they mean something only without an error.
func CheckTest(sut SUT, qsl QSL, s TestSettings) (EffectiveSettings, error) {
	t, err := newTest(sut, qsl, s, LogSettings{})
	if err != nil {
		return EffectiveSettings{}, err
	}
	return t.e, nil
}
