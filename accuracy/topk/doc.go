package topk
