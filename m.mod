!mod$ v1 sum:8689e746a28f39c1
module m
real(8),allocatable::b(:,:)
contains
subroutine s1(n)
integer(4)::n
end
subroutine s2(y,n)
real(8),contiguous::y(:,:)
integer(4)::n
end
subroutine s3(y,n)
real(8),allocatable::y(:,:)
integer(4)::n
end
subroutine s4(y,n)
integer(4)::n
real(8)::y(1_8:int(n,kind=8),1_8:*)
end
end
