#version 460
#extension GL_EXT_scalar_block_layout : require
// More uniform values at a time than a wave has SGPRs: vectors of three doubles, loaded and constant, next to the masks
// of nested branches.
//! uniform f64 0.5 1 100 1.5 3 99 2.5 5 98 3.5 7 97 4.5 9 96
//! uniform f64 5.5 11 95 6.5 13 94 7.5 15 93 8.5 17 92 9.5 19 91
//! uniform f64 10.5 21 90 11.5 23 89 12.5 25 88 13.5 27 87 14.5 29 86
//! push f64 1 2.5 0 2 3.5 -1 3 4.5 -2 4 5.5 -3
//! expect f64 -76 31 37 144 43 150 156 263 49 156 162 269 168 275 281 388
//! expect f64 -76 31 37 144 43 163.75 185.75 358.25 128.75 249.5 271.5 392.25 299.5 420.25 442.25 563
//! expect f64 -76 44.75 66.75 187.5 94.75 215.5 237.5 358.25 128.75 249.5 271.5 392.25 299.5 420.25 442.25 563
//! expect f64 -76 44.75 66.75 187.5 94.75 215.5 237.5 358.25 128.75 249.5 271.5 392.25 299.5 420.25 442.25 563
layout(local_size_x = 64) in;
layout(binding = 0) buffer Result { double r[64]; };
layout(binding = 2, scalar) uniform Uniform { dvec3 u[15]; };
layout(push_constant, scalar) uniform Push { dvec3 p[4]; };

void main()
{
   uint lane = gl_LocalInvocationIndex;
   double sum = 0.0lf;
   for (int i = 0; i < 4; i++) {
      dvec3 factor[4] = dvec3[4](p[0], p[1], p[2], p[3]);
      dmat3 loaded[5] = dmat3[5](dmat3(u[0], u[1], u[2]), dmat3(u[3], u[4], u[5]), dmat3(u[6], u[7], u[8]),
                                 dmat3(u[9], u[10], u[11]), dmat3(u[12], u[13], u[14]));
      dmat3 constant[5] = dmat3[5](dmat3(1, 2, 3, 4, 5, 6, 7, 8, 9), dmat3(10, 11, 12, 13, 14, 15, 16, 17, 18),
                                   dmat3(19, 20, 21, 22, 23, 24, 25, 26, 27),
                                   dmat3(28, 29, 30, 31, 32, 33, 34, 35, 36),
                                   dmat3(37, 38, 39, 40, 41, 42, 43, 44, 45));
      if ((lane >> i & 1u) == 1u) {
         sum += loaded[i][1].z;
         if (lane > 20u + i)
            sum += loaded[i + 1][2].x * factor[i].y;
      } else {
         sum -= constant[i][2].y;
      }
      sum += factor[i].x;
   }
   r[lane] = sum;
}
