package imagenet
