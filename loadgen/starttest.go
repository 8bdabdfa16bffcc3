package loadgen

import "context"

// StartTest runs one test and returns when every issued sample is answered and the logs are written.
//
// Bad settings and a SUT that breaks the contract cause an error. An INVALID run does not, and neither does a run that
// LogSettings.AbortEarly ended; the Result contains the reasons. When ctx ends, issuing stops. If the cause is
// context.Canceled, context.DeadlineExceeded or ErrInterrupted, StartTest waits a few seconds for outstanding samples.
// Any other cause means that the SUT failed. The measurements are logged, marked as aborted, and returned together with
// an error that wraps the context's cause. Calls into the SUT or the QSL that do not return within seconds after the
// end of ctx are abandoned.
func StartTest(ctx context.Context, sut SUT, qsl QSL, s TestSettings, l LogSettings) (*Result, error) {
	t, err := newTest(sut, qsl, s, l)
	if err != nil {
		return nil, err
	}
	return t.runTest(ctx)
}

// CheckTest returns the error of StartTest for invalid arguments without running the test. The effective settings are
// those of the test. They are valid only if the error is nil.
func CheckTest(sut SUT, qsl QSL, s TestSettings) (EffectiveSettings, error) {
	t, err := newTest(sut, qsl, s, LogSettings{})
	if err != nil {
		return EffectiveSettings{}, err
	}
	return t.effective, nil
}
