// Included by included.comp.
uint doubled(uint x)
{
   uint y = x * 2u;
   return y;
}
