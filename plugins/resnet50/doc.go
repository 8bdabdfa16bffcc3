package resnet50
