package sdk

// For tests outside of the package, which compare with the harness's half.
var (
	ProtoDescription = protoDescription
	ProtoInfo        = protoInfo
	ProtoScore       = protoScore
	OptionsFrom      = optionsFrom
	ScoreOptionsFrom = scoreOptionsFrom
	EntryFrom        = entryFrom
)
