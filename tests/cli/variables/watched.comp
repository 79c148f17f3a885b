// A variable that is written where another one has its name, and a loop at whose end no lane is on.
//! workgroups 1 1 1
//! fill 0
//! at 0
//! expect u32 107 214 321 428
#version 460
layout(local_size_x = 4) in;
layout(binding = 0) buffer Result { uint result[4]; };
uint total;

void add(uint more)
{
   total += more;
}

void write()
{
   uint total = 7u;
   result[gl_LocalInvocationID.x] += total;
}

void main()
{
   total = 0u;
   for (uint i = 0u; i <= gl_LocalInvocationID.x; i++) {
      add(100u);
      write();
   }
   result[gl_LocalInvocationID.x] += total;
}
