/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Package heatscope::draw: entry point. */
#include "init.h"

#include "shared.h"

int hsc_draw_init(Tcl_Interp *interp) {
    static const hsw_class *const classes[] = {
        &hsw_heat_class, &hsw_bars_class, &hsw_gutter_class, &hsw_scopes_class, &hsw_overview_class,
        &hsw_minimap_class, &hsw_legend_class, &hsw_barlist_class, &hsw_profile_class, &hsw_stack_class, &hsw_catbar_class,
        &hsw_terrain_class, &hsw_timeline_class, &hsw_flame_class, &hsw_progress_class, &hsw_figure_class, &hsw_matrix_class, &hsw_assembly_class, NULL};
    if (!Tcl_InitStubs(interp, HSC_TCL_VERSION, 0) || !Tk_InitStubs(interp, HSC_TCL_VERSION, 0))
        return TCL_ERROR;
    if (!Tk_MainWindow(interp))
        return hsc_tcl_usage(interp, "heatscope::draw needs Tk's main window");
    if (hsw_shared_commands(interp) != TCL_OK || hsw_register(interp, classes) != TCL_OK)
        return TCL_ERROR;
    return Tcl_PkgProvide(interp, "heatscope::draw", HEATSCOPE_VERSION);
}
