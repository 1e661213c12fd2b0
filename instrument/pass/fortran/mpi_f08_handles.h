! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Interfaces of module mpi_f08, see mpi_f08.F90: communicators, groups, topologies, types, attributes, error handlers, processes.
  interface
    subroutine MPI_Add_error_class(errorclass, ierror)
      import
      integer, intent(out) :: errorclass
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Add_error_code(errorclass, errorcode, ierror)
      import
      integer, intent(in) :: errorclass
      integer, intent(out) :: errorcode
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Add_error_string(errorcode, string, ierror)
      import
      integer, intent(in) :: errorcode
      character(*), intent(in) :: string
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: ndims, dims(*)
      logical, intent(in) :: periods(*)
      integer, intent(out) :: newrank
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Close_port(port_name, ierror)
      import
      character(*), intent(in) :: port_name
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      import
      character(*), intent(in) :: port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_call_errhandler(comm, errorcode, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: errorcode
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      import
      character(*), intent(in) :: port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: root
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      import
      external :: comm_errhandler_fn
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, ierror)
      import
      external :: comm_copy_attr_fn, comm_delete_attr_fn
      integer, intent(out) :: comm_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_delete_attr(comm, comm_keyval, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(out) :: newcomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_free_keyval(comm_keyval, ierror)
      import
      integer, intent(inout) :: comm_keyval
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_get_errhandler(comm, errhandler, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Errhandler), intent(out) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_get_info(comm, info_used, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(out) :: info_used
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_join(fd, intercomm, ierror)
      import
      integer, intent(in) :: fd
      type(MPI_Comm), intent(out) :: intercomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_remote_group(comm, group, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Group), intent(out) :: group
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: comm_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_set_info(comm, info, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Info), intent(in) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes, ierror)
      import
      character(*), intent(in) :: command, argv(*)
      integer, intent(in) :: maxprocs, root
      type(MPI_Info), intent(in) :: info
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, &
        root, comm, intercomm, array_of_errcodes, ierror)
      import
      integer, intent(in) :: count, array_of_maxprocs(*), root
      character(*), intent(in) :: array_of_commands(*), array_of_argv(count, *)
      type(MPI_Info), intent(in) :: array_of_info(*)
      type(MPI_Comm), intent(in) :: comm
      type(MPI_Comm), intent(out) :: intercomm
      integer :: array_of_errcodes(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, &
        comm_dist_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: n, sources(*), degrees(*), destinations(*), weights(*)
      type(MPI_Info), intent(in) :: info
      logical, intent(in) :: reorder
      type(MPI_Comm), intent(out) :: comm_dist_graph
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, &
        destweights, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxindegree, maxoutdegree
      integer, intent(out) :: sources(*), sourceweights(*), destinations(*), destweights(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: indegree, outdegree
      logical, intent(out) :: weighted
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Errhandler_free(errhandler, ierror)
      import
      type(MPI_Errhandler), intent(inout) :: errhandler
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Get_elements_x(status, datatype, count, ierror)
      import
      type(MPI_Status), intent(in) :: status
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: count
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Graph_create(comm_old, nnodes, index, edges, reorder, comm_graph, ierror)
      import
      type(MPI_Comm), intent(in) :: comm_old
      integer, intent(in) :: nnodes, index(*), edges(*)
      logical, intent(in) :: reorder
      type(MPI_Comm), intent(out) :: comm_graph
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Graph_get(comm, maxindex, maxedges, index, edges, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: maxindex, maxedges
      integer, intent(out) :: index(*), edges(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Graph_map(comm, nnodes, index, edges, newrank, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: nnodes, index(*), edges(*)
      integer, intent(out) :: newrank
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank, maxneighbors
      integer, intent(out) :: neighbors(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(in) :: rank
      integer, intent(out) :: nneighbors
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Graphdims_get(comm, nnodes, nedges, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: nnodes, nedges
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_compare(group1, group2, result, ierror)
      import
      type(MPI_Group), intent(in) :: group1, group2
      integer, intent(out) :: result
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n, ranges(3, *)
      type(MPI_Group), intent(out) :: newgroup
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      import
      type(MPI_Group), intent(in) :: group
      integer, intent(in) :: n, ranges(3, *)
      type(MPI_Group), intent(out) :: newgroup
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_delete(info, key, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(*), intent(in) :: key
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_dup(info, newinfo, ierror)
      import
      type(MPI_Info), intent(in) :: info
      type(MPI_Info), intent(out) :: newinfo
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_get(info, key, valuelen, value, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(*), intent(in) :: key
      integer, intent(in) :: valuelen
      character(*), intent(out) :: value
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_get_nkeys(info, nkeys, ierror)
      import
      type(MPI_Info), intent(in) :: info
      integer, intent(out) :: nkeys
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_get_nthkey(info, n, key, ierror)
      import
      type(MPI_Info), intent(in) :: info
      integer, intent(in) :: n
      character(*), intent(out) :: key
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(*), intent(in) :: key
      integer, intent(out) :: valuelen
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      import
      type(MPI_Comm), intent(in) :: intercomm
      logical, intent(in) :: high
      type(MPI_Comm), intent(out) :: newintracomm
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Lookup_name(service_name, info, port_name, ierror)
      import
      character(*), intent(in) :: service_name
      type(MPI_Info), intent(in) :: info
      character(*), intent(out) :: port_name
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Op_commutative(op, commute, ierror)
      import
      type(MPI_Op), intent(in) :: op
      logical, intent(out) :: commute
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Open_port(info, port_name, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(*), intent(out) :: port_name
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Pcontrol(level)
      import
      integer, intent(in) :: level
    end subroutine
    subroutine MPI_Publish_name(service_name, info, port_name, ierror)
      import
      character(*), intent(in) :: service_name, port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Topo_test(comm, status, ierror)
      import
      type(MPI_Comm), intent(in) :: comm
      integer, intent(out) :: status
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, &
        array_of_psizes, order, oldtype, newtype, ierror)
      import
      integer, intent(in) :: size, rank, ndims, array_of_gsizes(*), array_of_distribs(*), array_of_dargs(*), &
          array_of_psizes(*), order
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_complex(p, r, newtype, ierror)
      import
      integer, intent(in) :: p, r
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_integer(r, newtype, ierror)
      import
      integer, intent(in) :: r
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_f90_real(p, r, newtype, ierror)
      import
      integer, intent(in) :: p, r
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, oldtype, newtype, ierror)
      import
      integer, intent(in) :: count, blocklength
      integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
      type(MPI_Datatype), intent(in) :: oldtype
      type(MPI_Datatype), intent(out) :: newtype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, ierror)
      import
      external :: type_copy_attr_fn, type_delete_attr_fn
      integer, intent(out) :: type_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_delete_attr(datatype, type_keyval, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_free_keyval(type_keyval, ierror)
      import
      integer, intent(inout) :: type_keyval
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND), intent(out) :: attribute_val
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, array_of_integers, &
        array_of_addresses, array_of_datatypes, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: max_integers, max_addresses, max_datatypes
      integer, intent(out) :: array_of_integers(*)
      integer(MPI_ADDRESS_KIND), intent(out) :: array_of_addresses(*)
      type(MPI_Datatype), intent(out) :: array_of_datatypes(*)
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, combiner, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(out) :: num_integers, num_addresses, num_datatypes, combiner
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_get_extent_x(datatype, lb, extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: lb, extent
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_get_name(datatype, type_name, resultlen, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      character(*), intent(out) :: type_name
      integer, intent(out) :: resultlen
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_ADDRESS_KIND), intent(out) :: true_lb, true_extent
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: true_lb, true_extent
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_match_size(typeclass, size, datatype, ierror)
      import
      integer, intent(in) :: typeclass, size
      type(MPI_Datatype), intent(out) :: datatype
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer, intent(in) :: type_keyval
      integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_set_name(datatype, type_name, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      character(*), intent(in) :: type_name
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Type_size_x(datatype, size, ierror)
      import
      type(MPI_Datatype), intent(in) :: datatype
      integer(MPI_COUNT_KIND), intent(out) :: size
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Unpublish_name(service_name, info, port_name, ierror)
      import
      character(*), intent(in) :: service_name, port_name
      type(MPI_Info), intent(in) :: info
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_get_string(info, key, buflen, value, flag, ierror)
      import
      type(MPI_Info), intent(in) :: info
      character(*), intent(in) :: key
      integer, intent(inout) :: buflen
      character(*), intent(out) :: value
      logical, intent(out) :: flag
      integer, intent(out), optional :: ierror
    end subroutine
    subroutine MPI_Info_create_env(info, ierror)
      import
      type(MPI_Info), intent(out) :: info
      integer, intent(out), optional :: ierror
    end subroutine
  end interface
