// Package streaming reads the streamed data set of dlrm-v3, in its official layout:
//
//	DIR/0.csv, 1.csv, ...            a line for each user: blocks of four cells (candidates, their ratings, history, its
//	                                 ratings), one for each period and two more
//	DIR/offset.csv                   a line for each of them: where the line of each user begins
//	DIR/requests_per_ts.csv          a line for each period: the users that ask, in order
//	DIR/requests_per_ts_offset.csv   where each of these lines begins
//	DIR/users_cumsum_per_ts.csv      a line for each period: how many ask of the first file, of the first two, ...
//
// Time is divided into periods. Models are trained on the first periods. In each later period, users request ratings of
// candidates; their histories contain everything that they rated in earlier periods. Lines are read from their files on
// demand, since the set is larger than memory.
//
// In scope: finding and checking the files, samples of requests; rows of embedding tables in .npy files. Out of scope:
// the order of requests.
package streaming
