// The weight of a sample at `distance` texels: a Gaussian of the given radius, not normalised.
float weight(int distance, uint radius) {
  float x = float(distance) / float(radius);
  return exp(-2.0 * x * x);
}
