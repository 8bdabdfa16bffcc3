// Package accuracy reads the elements of payloads in an accuracy log, for every element type that systems under test
// use. Each folder below it scores the answers of one task and agrees with the task's official script to the last
// printed digit.
//
//   - topk, coco, dice and kitti3d score classes, boxes, regions of volumes and boxes in space
//   - pictures scores generated pictures
//   - generation, rouge, longcontext and mixture score language models; squad scores answers to questions, and bleu
//     translations
//   - reasoning scores reasoning models
//   - bfcl scores function calls, replay agents, products answers about product pictures, retrieval answers found in
//     pages
//   - wer scores speech, auc and entropy recommendation, rgat graphs
//
// Most scorers work alike. New accepts the truth, Add accepts the payload of one answer, and Result returns the
// metrics.
//
//	s := topk.New(labels, topk.PayloadOptions{})
//	for index, payload := range answers { // of an accuracy log
//		if err := s.Add(index, payload); err != nil {
//			return err
//		}
//	}
//	result, err := s.Result()
//
// The caller reads logs (package loadgen/mllog) and data sets (package datasets). Package bench/record/judge compares a
// metric with its target.
package accuracy
