package loadgen

// CheckTest reports everything that StartTest would refuse before it issues or writes anything. The effective settings
// are those that the test would run with; they mean something only without an error.
func CheckTest(sut SUT, qsl QSL, s TestSettings) (EffectiveSettings, error) {
	t, err := newTest(sut, qsl, s, LogSettings{})
	if err != nil {
		return EffectiveSettings{}, err
	}
	return t.e, nil
}
