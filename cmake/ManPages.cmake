# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes the manual pages that the program makes of its option tables: cmake -DHEATSCOPE=... -DFOLDER=... -P ManPages.cmake
file(MAKE_DIRECTORY ${FOLDER})
execute_process(COMMAND ${HEATSCOPE} --man OUTPUT_FILE ${FOLDER}/heatscope.1 COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${HEATSCOPE} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "," help "${help}")
string(REGEX MATCHALL "\n  [a-z+]+ +[^\n]*" lines "${help}")
foreach(line ${lines})
  string(REGEX REPLACE "^\n  ([a-z+]+) .*" "\\1" command "${line}")
  if(NOT command MATCHES "^(cc|c\\+\\+|fc|heatscope|mpirun)$")
    execute_process(COMMAND ${HEATSCOPE} ${command} --man OUTPUT_FILE ${FOLDER}/heatscope-${command}.1
      COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
