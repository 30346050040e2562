"""From a graph to answers on a survey: read-outs, the answer model, its fit, the predictor."""
