!mod$ v1 sum:1ca34d02adca06fa
module unrolled
real(8),allocatable::w(:)
real(8),allocatable::a(:,:)
real(8)::scale
contains
function whole()
real(8)::whole
end
function columns(n)
integer(4)::n
real(8)::columns
end
function neighbours(v,n)
integer(4)::n
real(8)::v(1_8:int(n,kind=8))
real(8)::neighbours
end
subroutine summed(v,n,repeats,total)
integer(4),intent(in)::n
real(8),intent(inout)::v(1_8:int(n,kind=8),1_8:4_8)
integer(4),intent(in)::repeats
real(8),intent(out)::total
end
end
