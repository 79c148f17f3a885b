#version 460
// More values at a time than a lane has VGPRs: 40 vectors of four doubles.
//! input f64 0.5 1.5 2.5 3.5 10.5 11.5 12.5 13.5 20.5 21.5 22.5 23.5 30.5 31.5 32.5 33.5
//! input f64 40.5 41.5 42.5 43.5 50.5 51.5 52.5 53.5 60.5 61.5 62.5 63.5 70.5 71.5 72.5 73.5
//! input f64 80.5 81.5 82.5 83.5 90.5 91.5 92.5 93.5 100.5 101.5 102.5 103.5 110.5 111.5 112.5 113.5
//! input f64 120.5 121.5 122.5 123.5 130.5 131.5 132.5 133.5 140.5 141.5 142.5 143.5 150.5 151.5 152.5 153.5
//! expect f64 58730 59250 60090 61250 62730 64530 66650 69090 71850 68530 65690 63330 61450 60050 59130 58690
//! expect f64 58730 59250 60090 61250 62730 64530 66650 69090 71850 68530 65690 63330 61450 60050 59130 58690
//! expect f64 58730 59250 60090 61250 62730 64530 66650 69090 71850 68530 65690 63330 61450 60050 59130 58690
//! expect f64 58730 59250 60090 61250 62730 64530 66650 69090 71850 68530 65690 63330 61450 60050 59130 58690
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { double r[64]; };
layout(binding = 1, std430) readonly buffer Input { dvec4 a[16]; };

#define VECTOR(k) a[(lane + k) & 15u]
#define MATRIX(k) dmat4(VECTOR(k), VECTOR(k + 1), VECTOR(k + 2), VECTOR(k + 3))

void main()
{
   uint lane = gl_LocalInvocationIndex;
   dmat4 m[10] = dmat4[10](MATRIX(0), MATRIX(4), MATRIX(8), MATRIX(12), MATRIX(16), MATRIX(20), MATRIX(24), MATRIX(28),
                           MATRIX(32), MATRIX(36));
   double sum = 0.0lf;
   for (int k = 0; k < 40; k++)
      sum += m[k / 4][k % 4][k % 4] * (k + 1);
   r[lane] = sum;
}
